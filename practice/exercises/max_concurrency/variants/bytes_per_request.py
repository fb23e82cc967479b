"""No blocks of the budget: rounding down twice is rounding down once by the product."""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    tokens_held = seq_len + -seq_len % block_size
    return budget_bytes // (tokens_held * kv_bytes_per_token)
