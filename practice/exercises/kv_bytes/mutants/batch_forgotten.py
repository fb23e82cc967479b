"""en: This is the cache of one sequence; unlike weights, a cache is shared by no other sequence of the batch.
zh: 这是一个序列的缓存；缓存不像权重，batch 里的序列不能共用。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_layers * num_kv_heads * head_dim * seq_len * bytes_per_element)
