"""Reference: all dot products at once, rectified, then the weighted sum over the heads."""

import torch
from torch import Tensor


def indexer_scores(q_idx: Tensor, k_idx: Tensor, weights: Tensor) -> Tensor:
    """DeepSeek-V3.2's index scores: q_idx ``[T, H, D]``, k_idx ``[S, D]``, weights ``[T, H]`` -> ``[T, S]``."""
    q, k, w = (each.float() for each in (q_idx, k_idx, weights))
    T, S = len(q), len(k)
    votes = (q @ k.mT).relu()  # [T, H, S]
    scores = torch.einsum("th,ths->ts", w, votes)
    is_future = torch.arange(S) > torch.arange(S - T, S)[:, None]
    return scores.masked_fill(is_future, -torch.inf).to(q_idx.dtype)
