"""en: Divides the tokens of all blocks by `seq_len`, as if two requests could share a block that one leaves half empty.
zh: 用所有块的 token 总数除以 `seq_len`，好像一个请求没填满的块还能分给另一个请求。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // (block_size * kv_bytes_per_token)
    return int(blocks / (seq_len / block_size))
