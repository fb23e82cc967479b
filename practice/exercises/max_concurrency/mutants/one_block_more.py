"""en: Rounds `seq_len + 1` up: where `seq_len` is a multiple of the block, every request gets a block that stays empty.
zh: 相当于按 `seq_len + 1` 个 token 向上取整：`seq_len` 正好是块大小的整数倍时，每个请求都多占一个空块。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // (block_size * kv_bytes_per_token)
    return blocks // (seq_len // block_size + 1)
