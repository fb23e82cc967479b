"""en: Counts one vector per token, KV head and layer; the value is cached too, and is as large as the key.
zh: 每个 token、每个 KV 头、每层只算了一个向量；value 也要缓存，而且和 key 一样大。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(num_layers * num_kv_heads * head_dim * seq_len * batch * bytes_per_element)
