"""Exercise h2o_keep: which keys have earned their place in the cache."""

from torch import Tensor


def h2o_keep(attn: Tensor, budget: int, recent: int) -> Tensor:
    """Choose the keys that stay: the newest ones, and those that have drawn the most attention so far.

    Args:
        attn: ``[n_heads, T, S]``, softmax probabilities of the newest T queries over the S keys, oldest key first.
        budget: how many keys stay, in every head.
        recent: how many of them are the newest keys; 0 <= recent <= budget.

    Returns:
        int64 ``[n_heads, min(budget, S)]``, the indices of each head's keys, ascending.
    """
    raise NotImplementedError
