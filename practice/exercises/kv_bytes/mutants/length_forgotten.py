"""en: This is what one token takes; each of the seq_len cached tokens takes as much.
zh: 这是一个 token 占的字节数；缓存里的 seq_len 个 token 每个都占这么多。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_layers * num_kv_heads * head_dim * batch * bytes_per_element)
