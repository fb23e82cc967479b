"""One attention head as Quest sees it: bounds, what is true of each page, the choice and the error at each budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from ..longctx import sparse

SINKS = 4
MISSED, WASTED = 0.01, 0.001
"""A page is missed if it is not read and has this share of the attention; in vain (wasted) if read and with less."""
SHARES = 60_000
"""Attention is packed as whole 60,000ths, rounded down, so that both limits above are met exactly."""


@dataclass(frozen=True)
class Head:
    """One head of one layer, over its T queries and P pages."""

    bound: Tensor
    """Quest's bound of the page's best score, scaled as scores are ``[T, P]``; -inf after the query."""
    best: Tensor
    """The true best score in the page ``[T, P]``."""
    mass: Tensor
    """The attention on the page, 0..1 ``[T, P]``; 0 after the query."""
    read: Tensor
    """The pages that Quest reads at each budget, bool ``[budgets, T, P]``."""
    error: dict[str, list[float]]
    """For "quest", "sinks" (with a window) and "oracle": relative error of the head's output at each budget."""
    kept: dict[str, list[float]]
    """The share of the attention that each of them reads."""

    @classmethod
    def measure(cls, layer: sparse.LastQueries, v: Tensor, head: int, budgets: Sequence[int], page: int) -> Head:
        """v ``[n_kv, S, D]``; page in tokens."""
        kv, scale = head * len(layer.k) // len(layer.q), layer.k.shape[2] ** -0.5
        one, v = sparse.LastQueries(layer.q[head, None], layer.k[kv, None]), v[kv, None]
        bound = sparse.page_bounds(layer, page)[head, None]  # of the whole layer: what every other cell chooses by
        mass = sparse.page_mass(one, page)
        masks = {
            "quest": [sparse.top_pages(one, bound, budget, page) for budget in budgets],
            "sinks": [sparse.sinks_and_window(one, budget, SINKS) for budget in budgets],
            "oracle": [sparse.top_pages(one, mass, budget, page) for budget in budgets],
        }
        scores = F.pad(one.scores[0], (0, -one.k.shape[1] % page), value=-torch.inf)
        return cls(
            bound[0] * scale,
            scores.reshape(len(scores), -1, page).amax(-1),
            mass[0].clamp(min=0),
            torch.stack([_pages_of(mask[0], page) for mask in masks["quest"]]),
            {name: [round(one.error(v, mask), 5) for mask in each] for name, each in masks.items()},
            {name: [round(one.kept_mass(mask), 5) for mask in each] for name, each in masks.items()},
        )

    def counts(self) -> dict[str, list[float]]:
        """How many pages a query reads, misses and reads in vain at each budget, means over the queries."""
        each = {
            "read": self.read,
            "missed": ~self.read & (self.mass >= MISSED),
            "wasted": self.read & (self.mass < WASTED),
        }
        return {name: pages.sum(-1).double().mean(-1).tolist() for name, pages in each.items()}

    def packed(self, rows: slice) -> tuple[dict[str, Any], bytes]:
        """What the view gets: numbers of all queries, and of the rows shown, page by page, ``bound``, ``best`` and
        ``mass`` as little-endian uint16 and ``read`` as a byte with a bit a budget, the first budget's the lowest."""
        seen = torch.isfinite(self.bound)
        low, high = self.best[seen].min().item(), self.bound[seen].max().item()
        step = max((high - low) / 65_535, 1e-9)
        levels = [((part[rows] - low) / step).nan_to_num(neginf=0).round() for part in (self.bound, self.best)]
        levels.append((self.mass[rows].double() * SHARES).floor())
        cells = b"".join(_bytes(level, "<u2") for level in levels)
        bits = torch.arange(len(self.read), device=self.read.device)[:, None, None]
        read = (self.read[:, rows].int() << bits).sum(0)
        numbers = {"low": low, "step": step, "error": self.error, "kept": self.kept, "counts": self.counts()}
        return numbers, cells + _bytes(read, "u1")


def _pages_of(mask: Tensor, page: int) -> Tensor:
    """Which pages a mask of keys ``[T, S]`` reads, bool ``[T, pages]``."""
    return F.pad(mask, (0, -mask.shape[1] % page)).reshape(len(mask), -1, page).any(-1)


def _bytes(values: Tensor, dtype: str) -> bytes:
    return values.cpu().numpy().astype(dtype).tobytes()
