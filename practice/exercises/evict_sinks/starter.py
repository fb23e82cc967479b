"""Exercise evict_sinks: keep the first slots of the KV cache and the newest ones."""

from torch import Tensor


def evict_sinks(k: Tensor, v: Tensor, positions: Tensor, budget: int, sinks: int) -> tuple[Tensor, Tensor, Tensor]:
    """Evict the middle of one layer's KV cache, so that at most ``budget`` slots stay.

    Args:
        k, v: ``[B, n_kv, S, D]``, oldest slot first.
        positions: int64 ``[S]``, the position in the text that each slot holds.
        budget: number of slots that may stay.
        sinks: how many of them are the first slots; 0 <= sinks <= budget.

    Returns:
        k, v, positions of the slots that stay, in their old order, values untouched.
    """
    raise NotImplementedError
