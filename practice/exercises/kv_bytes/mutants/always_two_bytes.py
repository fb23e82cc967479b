"""en: Always counts 2 bytes per element, as in fp16; bytes_per_element says what the cache really holds.
zh: 总按 fp16 的每个数 2 字节计算；缓存里实际是什么精度，由 bytes_per_element 决定。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return 2 * num_layers * num_kv_heads * head_dim * seq_len * batch * 2
