"""en: Eight times the bytes: these are bits, or the query heads of a model whose groups of 8 share one KV head.
zh: 是字节数的 8 倍：要么算成了比特，要么按 query 头来算了（8 个一组共用一个 KV 头的模型）。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_layers * num_kv_heads * head_dim * seq_len * batch * bytes_per_element * 8)
