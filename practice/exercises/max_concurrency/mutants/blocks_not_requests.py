"""en: Returns how many blocks the budget holds, and never divides them among requests.
zh: 返回的是预算能放多少块，没有再分给各个请求。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    return budget_bytes // (block_size * kv_bytes_per_token)
