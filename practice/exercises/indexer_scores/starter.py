"""Exercise indexer_scores: the cheap scores by which DeepSeek-V3.2 chooses keys."""

from torch import Tensor


def indexer_scores(q_idx: Tensor, k_idx: Tensor, weights: Tensor) -> Tensor:
    """Score every key for every query, with small heads of the indexer's own.

    Args:
        q_idx: ``[T, H, D]``, index queries of the newest T tokens; query T - 1 is the newest key's.
        k_idx: ``[S, D]``, index keys, oldest first, shared by the heads; S >= T.
        weights: ``[T, H]``, of either sign: what each query thinks of each head.

    Returns:
        ``[T, S]`` in the dtype of q_idx; -inf for the keys after a query's own.
    """
    raise NotImplementedError
