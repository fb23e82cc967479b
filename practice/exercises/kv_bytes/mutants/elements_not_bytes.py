"""en: Counts elements; each of them takes bytes_per_element bytes.
zh: 数的是元素个数；每个元素还要占 bytes_per_element 个字节。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_layers * num_kv_heads * head_dim * seq_len * batch)
