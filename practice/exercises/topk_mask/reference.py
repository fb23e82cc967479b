"""Reference: the indices of topk, then nothing that is hidden."""

import torch
from torch import Tensor


def topk_mask(scores: Tensor, budget: int) -> Tensor:
    """Each row's best visible keys: scores ``[..., T, S]``, -inf where hidden -> bool of the same shape."""
    best = scores.topk(min(budget, scores.shape[-1])).indices  # [..., T, k]: a short row fills up with hidden keys
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & (scores > -torch.inf)
