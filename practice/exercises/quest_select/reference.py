"""Reference: bounds from each page's channel-wise minimum and maximum, then the best pages per query head."""

import torch
from torch import Tensor
from torch.nn.functional import pad


def quest_select(q: Tensor, k: Tensor, budget: int, page: int) -> Tensor:
    """Pages by Quest's bound (Tang et al., 2024): q ``[n_heads, D]``, k ``[n_kv, S, D]`` -> bool ``[n_heads, S]``."""
    (num_heads, D), (num_kv_heads, S, _) = q.shape, k.shape
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    pages = -(-S // page)
    paged = pad(k, (0, 0, 0, pages * page - S)).reshape(num_kv_heads, pages, page, D)  # zeros only in the last page
    low, high = paged.amin(2), paged.amax(2)  # [n_kv, pages, D]
    grouped = q.float().reshape(num_kv_heads, -1, 1, D)  # [n_kv, group, 1, D]
    bounds = torch.maximum(grouped * low[:, None], grouped * high[:, None]).sum(-1).reshape(num_heads, pages)
    bounds[:, -1] = torch.inf  # the last page is always read, and counted, whatever its bound
    best = bounds.topk(max(1, budget // page)).indices
    chosen = torch.zeros(num_heads, pages, dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
