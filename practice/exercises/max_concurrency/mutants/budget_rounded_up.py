"""en: Rounds the budget up to whole blocks: the last of them is not all there.
zh: 预算向上取整成整块：最后一块其实并不完整。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = -(-budget_bytes // (block_size * kv_bytes_per_token))
    return blocks // -(-seq_len // block_size)
