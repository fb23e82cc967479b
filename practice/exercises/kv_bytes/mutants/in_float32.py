"""en: Multiplies in float32, which holds 24 bits: large caches come out rounded.
zh: 用 float32 相乘，而它只有 24 个有效位（二进制）：大的缓存算出来不精确。
"""

import torch


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    factors = [2, num_layers, num_kv_heads, head_dim, seq_len, batch, bytes_per_element]
    return int(torch.tensor(factors, dtype=torch.float32).prod())
