"""en: Doubles the weights, as if they were parameters of 2 bytes; they are in bytes already.
zh: 把权重乘以 2，好像给的是每个 2 字节的参数个数；它已经是字节数。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (2 * weight_bytes + cache_bytes) / bandwidth
