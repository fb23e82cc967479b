"""en: Reads the cache of one sequence only; every sequence of the batch has its own.
zh: 只读了一个序列的缓存；batch 里每个序列都有自己的一份。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    return (weight_bytes + seq_len * kv_bytes_per_token) / bandwidth
