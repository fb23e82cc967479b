"""en: Rounds to the nearest number of requests: where most of a request is left, it counts as a whole one.
zh: 请求数四舍五入了：剩下的空间够放大半个请求时，就被当成一整个。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    request = -(-seq_len // block_size) * block_size * kv_bytes_per_token
    return round(budget_bytes / request)
