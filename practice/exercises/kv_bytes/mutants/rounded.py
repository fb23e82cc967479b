"""en: Rounds to the nearest byte; the fraction that is left is to be cut off, as int() does.
zh: 四舍五入到最近的字节；剩下的小数部分应当直接舍去，像 int() 那样。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return round(2 * num_layers * num_kv_heads * head_dim * seq_len * batch * bytes_per_element)
