"""Exercise max_concurrency: how many requests the memory left for KV holds at once."""


def max_concurrency(budget_bytes: int, kv_bytes_per_token: int, seq_len: int, block_size: int = 16) -> int:
    """Count the requests of equal length whose KV fits into a budget, in a cache that is handed out in whole blocks.

    Args:
        budget_bytes: bytes left for KV, once weights and everything else have theirs; 0 or more.
        kv_bytes_per_token: bytes that one token's K and V take over all layers; 1 or more.
        seq_len: tokens that every request holds, prompt and output together; 1 or more.
        block_size: tokens in a block; 1 or more, any whole number.

    Returns:
        The number of requests, exact for integers of any size.
    """
    raise NotImplementedError
