"""Exercise topk_mask: the mask of each query's best keys."""

from torch import Tensor


def topk_mask(scores: Tensor, budget: int) -> Tensor:
    """Choose, for every row on its own, the keys with the greatest scores.

    Args:
        scores: ``[..., T, S]``, float32, bfloat16 or float16; -inf where the key is hidden from the query.
        budget: how many keys a query may attend to.

    Returns:
        bool, the shape of `scores`; True for exactly min(budget, visible keys) keys in a row, none of them hidden.
    """
    raise NotImplementedError
