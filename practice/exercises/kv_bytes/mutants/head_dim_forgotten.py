"""en: Counts a head's key as one number; it is a vector of head_dim numbers.
zh: 把一个头的 key 当成了一个数；它是一个有 head_dim 个数的向量。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_layers * num_kv_heads * seq_len * batch * bytes_per_element)
