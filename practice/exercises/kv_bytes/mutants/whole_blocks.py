"""en: Counts whole blocks of 16 tokens, as a paged engine allocates them; seq_len tokens are asked for, no more.
zh: 按分页引擎的分配方式算成整块，每块 16 个 token；这里只问 seq_len 个 token 占多少。
"""


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    tokens = -(-seq_len // 16) * 16
    return int(2 * num_layers * num_kv_heads * head_dim * tokens * batch * bytes_per_element)
