"""Exercise chunked_append: attention of a chunk of new tokens that follow a KV cache."""

from torch import Tensor


def chunked_append(
    q: Tensor, k_new: Tensor, v_new: Tensor, k_cache: Tensor, v_cache: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """Append a chunk to one layer's cache, and attend from each of its tokens to all that came no later.

    Args:
        q: ``[B, n_heads, T, D]``, queries of the new tokens; head h uses KV head h // (n_heads // n_kv).
        k_new, v_new: ``[B, n_kv, T, D]``, their keys and values.
        k_cache, v_cache: ``[B, n_kv, S_cache, D]``, what is cached, oldest first; S_cache may be 0.

    Returns:
        out ``[B, n_heads, T, D]`` in the dtype of q; k, v ``[B, n_kv, S_cache + T, D]``, the cache with the chunk.
    """
    raise NotImplementedError
