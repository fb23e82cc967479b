"""en: Rounds a request's blocks down: the tokens of its last, partly filled block have no place.
zh: 请求的块数向下取整了：最后那个没填满的块里的 token 没有地方放。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // (block_size * kv_bytes_per_token)
    return blocks // max(1, seq_len // block_size)
