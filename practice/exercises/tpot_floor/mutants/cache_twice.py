"""en: Doubles the caches, for K and V or for reading and writing; `kv_bytes_per_token` has both, and a step only reads.
zh: 把缓存乘以 2，当作 K 和 V 两份或一读一写；`kv_bytes_per_token` 已含两者，而且只读不写。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + 2 * cache_bytes) / bandwidth
