"""en: Counts in blocks of 16 tokens, whatever `block_size` says.
zh: 不管 `block_size` 是多少，一律按每块 16 个 token 算。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // (16 * kv_bytes_per_token)
    return blocks // -(-seq_len // 16)
