"""en: Returns milliseconds, or microseconds; the result is in seconds.
zh: 返回的是毫秒或微秒；结果应以秒为单位。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + cache_bytes) / bandwidth * 1e6
