"""en: The two roundings are swapped: a request's blocks must be rounded up, and those of the budget down.
zh: 两处取整弄反了：请求的块数应当向上取整，预算的块数应当向下取整。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = -(-budget_bytes // (block_size * kv_bytes_per_token))
    return blocks // max(1, seq_len // block_size)
