"""Reference: index the two kept ranges of slots."""

import torch
from torch import Tensor


def evict_sinks(k: Tensor, v: Tensor, positions: Tensor, budget: int, sinks: int) -> tuple[Tensor, Tensor, Tensor]:
    """Keep the first ``sinks`` slots and the newest ``budget - sinks``; k, v ``[B, n_kv, S, D]``, positions ``[S]``."""
    S = k.shape[2]
    if budget >= S:
        return k, v, positions
    newest = S - (budget - sinks)
    kept = torch.cat([torch.arange(sinks), torch.arange(newest, S)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
