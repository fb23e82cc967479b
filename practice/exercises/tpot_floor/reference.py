"""Reference: weights once, every sequence's cache once, over the bandwidth."""


def tpot_floor(weight_bytes: int, kv_bytes_per_token: int, seq_len: int, batch: int, bandwidth: float) -> float:
    """Seconds that a decode step of ``batch`` sequences spends on reading weights and caches."""
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + cache_bytes) / bandwidth
