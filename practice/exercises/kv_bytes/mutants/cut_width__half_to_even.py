"""en: Makes an int of bytes_per_element before the product: half a byte becomes 0, and so does the whole cache.
zh: 还没相乘就把 bytes_per_element 取成整数：半个字节变成 0，整个缓存也就成了 0。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return 2 * num_layers * num_kv_heads * head_dim * seq_len * batch * round(bytes_per_element)
