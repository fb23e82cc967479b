"""en: Doubles the bytes for K and V; `kv_bytes_per_token` holds both already.
zh: 又为 K 和 V 把字节数乘以 2；`kv_bytes_per_token` 已经包含两者。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // (2 * block_size * kv_bytes_per_token)
    return blocks // -(-seq_len // block_size)
