"""en: Returns tokens per second of the whole batch; it is to be seconds per step.
zh: 返回的是整批每秒的 token 数；应当返回每步多少秒。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return batch * bandwidth / (weight_bytes + cache_bytes)
