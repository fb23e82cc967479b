"""en: Cuts the budget down to whole GiB first: what is left over may hold many a request.
zh: 先把预算截成整数 GiB：截掉的零头也许还放得下好些请求。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    gib = budget_bytes // 2**30
    padded = -(-seq_len // block_size) * block_size
    return gib * 2**30 // (padded * kv_bytes_per_token)
