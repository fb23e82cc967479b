"""Reference: one total per head and key; the newest keys cannot be beaten."""

import torch
from torch import Tensor


def h2o_keep(attn: Tensor, budget: int, recent: int) -> Tensor:
    """Heavy hitters and the newest keys (Zhang et al., 2023): ``[n_heads, T, S]`` -> ``[n_heads, min(budget, S)]``."""
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)  # [n_heads, S]
    totals[:, S - recent :] = torch.inf  # nothing beats the newest; -recent would be everything where it is 0
    return totals.topk(min(budget, S)).indices.sort().values
