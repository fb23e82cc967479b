"""en: Returns the product as it is, a float where bytes_per_element is one; int() is the last step.
zh: 把乘积原样返回，bytes_per_element 是 float 时它也是 float；最后一步应当是 int()。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return 2 * num_layers * num_kv_heads * head_dim * seq_len * batch * bytes_per_element
