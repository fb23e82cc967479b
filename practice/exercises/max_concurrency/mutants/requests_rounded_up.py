"""en: Rounds the number of requests up: the last one has no room for all its blocks.
zh: 请求数向上取整了：最后一个请求的块放不下。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // (block_size * kv_bytes_per_token)
    return -(-blocks // -(-seq_len // block_size))
