"""en: Takes `block_size` for bytes and cuts budget and request into pieces of that size; it counts tokens.
zh: 把 `block_size` 当成字节数来切预算和请求；它数的是 token。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = budget_bytes // block_size
    return blocks // -(-seq_len * kv_bytes_per_token // block_size)
