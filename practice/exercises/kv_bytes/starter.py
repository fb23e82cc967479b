"""Exercise kv_bytes: how much memory the KV cache of a batch takes."""


def kv_bytes(
    num_layers: int, num_kv_heads: int, head_dim: int, seq_len: int, bytes_per_element: float, batch: int = 1
) -> int:
    """Bytes of K and V of all cached tokens in all layers.

    Args:
        num_layers: layers, each with a full cache of its own.
        num_kv_heads: KV heads of a layer; with GQA fewer than query heads.
        head_dim: channels of one head's key, and of its value.
        seq_len: cached tokens of each sequence.
        bytes_per_element: 2 for fp16 and bf16, 1 for fp8; may be a fraction, 0.5 for int4.
        batch: sequences cached at once, all of the same length.

    Returns:
        Bytes as an int; a fraction of a byte that is left after the whole product is cut off.
    """
    raise NotImplementedError
