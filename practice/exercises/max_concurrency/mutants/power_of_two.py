"""en: Rounds up with a bit mask, which is right only where `block_size` is a power of two.
zh: 用位掩码向上取整，这只在 `block_size` 是 2 的幂时才对。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    padded = (seq_len + block_size - 1) & ~(block_size - 1)
    return budget_bytes // (padded * kv_bytes_per_token)
