"""Reference: count in blocks, the budget's rounded down and a request's rounded up."""


def max_concurrency(budget_bytes: int, kv_bytes_per_token: int, seq_len: int, block_size: int = 16) -> int:
    """How many requests of ``seq_len`` tokens fit into ``budget_bytes`` of KV cache."""
    blocks = budget_bytes // (block_size * kv_bytes_per_token)
    blocks_per_request = (seq_len + block_size - 1) // block_size
    return blocks // blocks_per_request
