"""en: Divides the budget in tokens by a request in blocks: a block takes `block_size` times the bytes of a token.
zh: 用按 token 算的预算去除以按块算的请求：一块的字节数是一个 token 的 `block_size` 倍。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    return budget_bytes // kv_bytes_per_token // -(-seq_len // block_size)
