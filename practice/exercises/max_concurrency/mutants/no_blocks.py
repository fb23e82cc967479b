"""en: Divides bytes by a request's tokens alone: a request also takes up the empty rest of its last block.
zh: 直接除以请求的 token 所占的字节：请求还占着最后一块里空着的部分。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    return budget_bytes // (seq_len * kv_bytes_per_token)
