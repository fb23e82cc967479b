"""en: Mixes powers of two with powers of ten, as GiB with GB/s or TiB with TB/s: that is 7 or 10 % off.
zh: 把 2 的幂和 10 的幂混用，比如 GiB 配 GB/s、TiB 配 TB/s：差出 7 % 或 10 %。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + cache_bytes) / 10**9 / (bandwidth / 2**30)
