"""en: This is the cache of a single KV head, right for MQA alone; every KV head keeps a key and a value.
zh: 这只是一个 KV 头的缓存，只对 MQA 成立；每个 KV 头都要存自己的 key 和 value。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_layers * head_dim * seq_len * batch * bytes_per_element)
