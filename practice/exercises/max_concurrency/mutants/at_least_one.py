"""en: Returns at least 1, though not even one request may fit.
zh: 至少返回 1，可是也许连一个请求都放不下。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // (block_size * kv_bytes_per_token)
    return max(1, blocks // -(-seq_len // block_size))
