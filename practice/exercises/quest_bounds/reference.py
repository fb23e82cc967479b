"""Reference: q+ times the page's maximum plus q- times its minimum, as two matrix products."""

import torch
from torch import Tensor


def quest_bounds(q: Tensor, k: Tensor, page: int) -> Tensor:
    """Quest's upper bound of each page (Tang et al., 2024): q ``[n_heads, D]``, k ``[n_kv, S, D]``."""
    num_kv_heads, S, D = k.shape
    pages = -(-S // page)
    slots = torch.arange(pages * page).clamp(max=S - 1)  # a partial last page holds its last key again
    paged = k[:, slots].float().reshape(num_kv_heads, pages, page, D)
    grouped = q.float().reshape(num_kv_heads, -1, D)  # [n_kv, group, D]
    bounds = grouped.clamp(min=0) @ paged.amax(2).mT + grouped.clamp(max=0) @ paged.amin(2).mT
    return bounds.reshape(len(q), pages).to(q.dtype)
