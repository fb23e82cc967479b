"""en: Takes off a tenth as headroom; the budget is what is left for KV, headroom already gone.
zh: 又留出一成余量；预算已经是扣掉余量之后留给 KV 的部分。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes * 9 // 10 // (block_size * kv_bytes_per_token)
    return blocks // -(-seq_len // block_size)
