"""en: Cuts to whole numbers before the product is complete: the fraction that is lost is then multiplied, too.
zh: 乘积还没算完就取整：丢掉的小数部分也跟着被放大了。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return batch * int(2 * num_layers * num_kv_heads * head_dim * seq_len * bytes_per_element)
