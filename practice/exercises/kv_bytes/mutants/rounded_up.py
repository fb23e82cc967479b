"""en: Rounds up to the next whole byte; the fraction that is left is to be cut off, as int() does.
zh: 向上取整到下一个字节；剩下的小数部分应当直接舍去，像 int() 那样。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return -int(-(2 * num_layers * num_kv_heads * head_dim * seq_len * batch * bytes_per_element) // 1)
