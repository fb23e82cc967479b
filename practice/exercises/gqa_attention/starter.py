"""Exercise gqa_attention: softmax attention in which several query heads share one KV head."""

from torch import Tensor


def gqa_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """Grouped-query attention over the keys that the mask allows.

    Args:
        q: ``[B, n_heads, T, D]``; head h uses KV head h // (n_heads // n_kv).
        k: ``[B, n_kv, S, D]``.
        v: ``[B, n_kv, S, D]``.
        mask: bool ``[T, S]`` or ``[B, n_heads, T, S]``, True = may attend; every row has a True.

    Returns:
        ``[B, n_heads, T, D]``, in the dtype of q.
    """
    raise NotImplementedError
