"""en: Returns gigabytes, GiB or another unit; bytes are wanted, which leave no doubt between 1000 and 1024.
zh: 返回的是 GB、GiB 之类的单位；这里要的是字节，不会有 1000 还是 1024 的疑问。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    return int(2 * num_layers * num_kv_heads * head_dim * seq_len * batch * bytes_per_element / 2**30)
