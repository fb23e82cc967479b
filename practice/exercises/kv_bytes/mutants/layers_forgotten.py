"""en: This is the cache of a single layer; every layer has its own keys and values.
zh: 这只是一层的缓存；每一层都有自己的 key 和 value。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_kv_heads * head_dim * seq_len * batch * bytes_per_element)
