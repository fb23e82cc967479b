"""en: Divides by 8 as if the width of an element came in bits; bytes_per_element is in bytes already.
zh: 又除以 8，好像每个数的宽度是以比特给出的；bytes_per_element 本来就是字节。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return 2 * num_layers * num_kv_heads * head_dim * seq_len * batch * bytes_per_element / 8
