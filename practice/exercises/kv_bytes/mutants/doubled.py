"""en: Has one factor of 2 too many: K and V are one 2, and what an element takes is in bytes_per_element already.
zh: 多乘了一个 2：K 和 V 是一个 2，每个数占几字节已经在 bytes_per_element 里了。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * 2 * num_layers * num_kv_heads * head_dim * seq_len * batch * bytes_per_element)
