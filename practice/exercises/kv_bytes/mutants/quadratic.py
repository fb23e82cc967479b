"""en: Grows with seq_len squared, as scores do; scores are not kept, and the cache grows by the same for every token.
zh: 随 seq_len 的平方增长，像注意力分数那样；分数并不保存，每多一个 token，缓存只多固定的一份。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_layers * num_kv_heads * head_dim * seq_len**2 * batch * bytes_per_element)
