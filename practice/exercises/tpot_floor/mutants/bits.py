"""en: Takes the bandwidth for bits per second; it is in bytes per second.
zh: 把带宽当成比特每秒；它的单位是字节每秒。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return 8 * (weight_bytes + cache_bytes) / bandwidth
