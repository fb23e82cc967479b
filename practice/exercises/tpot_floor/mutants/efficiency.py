"""en: Takes a fifth off the bandwidth for what devices do not reach; the floor is for the bandwidth that is given.
zh: 因为实际达不到标称值，把带宽打了八折；下限按给定的带宽算。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + cache_bytes) / (0.8 * bandwidth)
