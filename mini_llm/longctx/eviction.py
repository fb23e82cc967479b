"""Which slots of a KV cache to keep when it may hold only so many."""

from __future__ import annotations

import torch
from torch import Tensor


def sinks_and_window(num_slots: int, budget: int, sinks: int) -> Tensor:
    """Indices of the first ``sinks`` slots and the newest ``budget - sinks``: int64, ascending (Xiao et al. 2023).

    All slots when there are no more than ``budget``; ``sinks=0`` is the plain sliding window.
    Raises ValueError when the budget is smaller than the sinks.
    """
    if not 0 <= sinks <= budget:
        raise ValueError(f"budget={budget} must be at least sinks={sinks}, and sinks at least 0")
    slots = torch.arange(num_slots)
    return slots[(slots < sinks) | (slots >= num_slots - (budget - sinks))] if num_slots > budget else slots
