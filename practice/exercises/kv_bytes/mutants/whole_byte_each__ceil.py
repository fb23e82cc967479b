"""en: Gives every element at least a whole byte; elements narrower than a byte are packed, two int4 to a byte.
zh: 给每个数至少一整个字节；不足一字节的数是紧密存放的，一个字节放两个 int4。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return 2 * num_layers * num_kv_heads * head_dim * seq_len * batch * -int(-bytes_per_element // 1)
