"""Reference: count the elements, all whole numbers, then weigh them, and cut last."""


def kv_bytes(
    num_layers: int, num_kv_heads: int, head_dim: int, seq_len: int, bytes_per_element: float, batch: int = 1
) -> int:
    """Bytes of a KV cache of full attention: a key and a value per layer, KV head and token of every sequence."""
    elements = 2 * num_layers * num_kv_heads * head_dim * seq_len * batch
    return int(elements * bytes_per_element)
