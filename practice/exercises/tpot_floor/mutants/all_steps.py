"""en: Multiplies by `seq_len`, which is the time of that many steps and not of one.
zh: 乘以了 `seq_len`，那是这么多步的时间，不是一步的。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return seq_len * (weight_bytes + cache_bytes) / bandwidth
