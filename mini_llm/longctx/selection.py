"""Selectors for ``forward_with_mask`` that name the keys a decoding step reads, so that it reads no others."""

from __future__ import annotations

import torch
from torch import Tensor


class Quest:
    """The pages whose upper bound on q . k is largest, for each query head (Tang et al. 2024, Quest).

    A page is ``page_size`` consecutive slots; its channelwise minimum and maximum bound every score in it. The newest
    page is always read. One object serves one text and one growing cache: bounds are brought up to date from the keys
    that came since the last call, and never from those before.
    """

    def __init__(self, budget: int, page_size: int = 16) -> None:
        if budget < page_size or budget % page_size:
            raise ValueError(f"budget={budget} must be a multiple of page_size={page_size}")
        self.budget, self.page_size = budget, page_size
        self._bounds: dict[int, tuple[Tensor, Tensor]] = {}  # layer -> min and max [n_kv, whole pages, D]

    def __call__(self, layer: int, q: Tensor, k: Tensor) -> Tensor:
        """q ``[1, n_heads, 1, D]``, k ``[1, n_kv, S, D]`` -> slots to read, int64 ``[n_heads, <= budget]``."""
        num_heads, slots, size = q.shape[1], k.shape[2], self.page_size
        if q.shape[2] != 1:
            raise ValueError(f"Quest selects for one new token at a time, got {q.shape[2]}")
        newest = torch.arange((slots - 1) // size * size, slots, device=k.device)  # the slots of the newest page
        whole = int(newest[0]) // size
        if slots <= self.budget:
            return torch.arange(slots, device=k.device).expand(num_heads, -1)
        low, high = self._update(layer, k[0], whole)
        groups = q.view(k.shape[1], -1, q.shape[3])  # the query heads of each KV head
        bound = groups.clamp(min=0) @ high.mT + groups.clamp(max=0) @ low.mT  # [n_kv, group, whole pages]
        pages = bound.view(num_heads, -1).topk(self.budget // size - 1).indices
        chosen = (pages[:, :, None] * size + torch.arange(size, device=k.device)).flatten(1)
        return torch.cat((chosen, newest.expand(num_heads, -1)), dim=1)

    def _update(self, layer: int, k: Tensor, whole: int) -> tuple[Tensor, Tensor]:
        """Bounds of the first ``whole`` pages of k ``[n_kv, S, D]``."""
        known = self._bounds[layer][0].shape[1] if layer in self._bounds else 0
        if known < whole:
            pages = k[:, known * self.page_size : whole * self.page_size].reshape(
                k.shape[0], whole - known, self.page_size, k.shape[2]
            )
            bounds = pages.amin(2), pages.amax(2)
            if known:
                low, high = self._bounds[layer]
                bounds = torch.cat((low, bounds[0]), dim=1), torch.cat((high, bounds[1]), dim=1)
            self._bounds[layer] = bounds
        return self._bounds[layer]
