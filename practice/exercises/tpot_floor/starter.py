"""Exercise tpot_floor: the least time that one decode step can take, by what it must read from memory."""


def tpot_floor(weight_bytes: int, kv_bytes_per_token: int, seq_len: int, batch: int, bandwidth: float) -> float:
    """Time one decode step of a batch by its memory traffic alone.

    Args:
        weight_bytes: bytes of weights that a step reads.
        kv_bytes_per_token: bytes of one cached token's K and V over all layers.
        seq_len: tokens in the cache of each sequence; 0 or more.
        batch: sequences decoded in the step; 1 or more.
        bandwidth: bytes per second; int or float.

    Returns:
        Seconds per step.
    """
    raise NotImplementedError
