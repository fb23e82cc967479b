"""en: Returns steps per second, the bandwidth over the bytes; it is to be seconds per step.
zh: 返回的是每秒多少步，即带宽除以字节数；应当返回每步多少秒。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return bandwidth / (weight_bytes + cache_bytes)
