"""Which keys each query reads, as masks: every selection rule of sparse attention, and what it reads and loses.

All *simulated*: every score is computed and then hidden, so nothing is saved but everything can be measured.
``selection.Quest`` makes the same choice for real, in decode. Masks are bool ``[n_heads, T, S]``, True = read, and
causal. Pages are ``page`` consecutive keys, the last one perhaps partial.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import torch
import torch.nn.functional as F
from torch import Tensor

from .probe import LayerQKV

SHARED = ("head", "group", "layer")
"""Who reads one set of keys: each query head its own, the query heads of a KV head one, or all heads one."""


@dataclass(frozen=True)
class LastQueries:
    """The newest T of S tokens as queries of one layer: rotated q ``[n_heads, T, D]`` over k ``[n_kv, S, D]``."""

    q: Tensor
    k: Tensor

    @classmethod
    def of(cls, layer: LayerQKV, T: int) -> LastQueries:
        """The last T queries of a captured layer."""
        return cls(layer.q[:, -T:], layer.k)

    @cached_property
    def position(self) -> Tensor:
        """Where each query stands, int64 ``[T, 1]``."""
        T, S = self.q.shape[1], self.k.shape[1]
        return torch.arange(S - T, S, device=self.k.device)[:, None]

    @cached_property
    def causal(self) -> Tensor:
        """bool ``[T, S]``."""
        return torch.arange(self.k.shape[1], device=self.k.device) <= self.position

    @cached_property
    def scores(self) -> Tensor:
        """Scaled scores ``[n_heads, T, S]``, -inf where not causal."""
        return (self.dot(self.k) * self.k.shape[2] ** -0.5).masked_fill(~self.causal, -torch.inf)

    @cached_property
    def weights(self) -> Tensor:
        """Attention weights ``[n_heads, T, S]``."""
        return self.scores.softmax(-1)

    def dot(self, keys: Tensor, part: str = "") -> Tensor:
        """q . keys, ``[n_kv, X, D]`` -> ``[n_heads, T, X]``; of q's "positive" or "negative" part alone if asked."""
        q = self.q.reshape(len(self.k), -1, self.k.shape[2])  # [n_kv, group * T, D]
        q = q.clamp(min=0) if part == "positive" else q.clamp(max=0) if part == "negative" else q
        return (q @ keys.mT).reshape(*self.q.shape[:2], -1)

    def output(self, v: Tensor, mask: Tensor | None = None) -> Tensor:
        """Attention output ``[n_heads, T, D]`` over v ``[n_kv, S, D]``; over the mask's keys alone, if there is one."""
        weights = self.weights if mask is None else self.scores.masked_fill(~mask, -torch.inf).softmax(-1)
        return mix(weights, v)

    def error(self, v: Tensor, mask: Tensor) -> float:
        """By how much the output changes when only the mask's keys are read: norm, relative to the output's."""
        return relative(self.output(v, mask), self.output(v))

    def kept_mass(self, mask: Tensor) -> float:
        """Mean share of the attention that lies on the mask's keys."""
        return (self.weights * mask).sum(-1).mean().item()


def mix(weights: Tensor, v: Tensor) -> Tensor:
    """Weights ``[n_heads, T, S]`` over v ``[n_kv, S, D]`` -> ``[n_heads, T, D]``."""
    grouped = weights.reshape(len(v), -1, v.shape[1])
    return (grouped @ v).reshape(*weights.shape[:2], -1)


def relative(found: Tensor, reference: Tensor) -> float:
    """Norm of the difference over the norm of the reference."""
    return ((found - reference).norm() / reference.norm()).item()


def sinks_and_window(queries: LastQueries, budget: int, sinks: int = 0) -> Tensor:
    """The first ``sinks`` keys and the newest ``budget - sinks`` (Xiao et al. 2024, StreamingLLM, as a mask)."""
    key = torch.arange(queries.k.shape[1], device=queries.k.device)
    mask = (key > queries.position - (budget - sinks)) | (key < sinks)
    return (mask & queries.causal).expand(len(queries.q), -1, -1)


def top_keys(queries: LastQueries, budget: int, shared: str = "head") -> Tensor:
    """The keys with the most attention: exact top-k. Heads that share a set choose by their mean weights."""
    scores = queries.scores if shared == "head" else _shared(queries.weights, len(queries.k), shared, "mean")
    return _best(scores, budget) & queries.causal


def top_indexed(queries: LastQueries, scores: Tensor, budget: int) -> Tensor:
    """The best keys by an indexer's scores ``[T, S]``: one set for all heads."""
    return (_best(scores, budget) & queries.causal).expand(len(queries.q), -1, -1)


def page_bounds(queries: LastQueries, page: int = 16, see_future: bool = False) -> Tensor:
    """Quest's upper bound of q . k over each page, unscaled ``[n_heads, T, pages]`` (Tang et al. 2024).

    The bound of a query's own page holds the keys up to the query, as if it were decoded; pages after it are -inf.
    ``see_future``: one bound per whole page for all queries, as where a decode method is laid over a block unchanged.
    """
    low, high = (_pages(queries.k, page, fill) for fill in (torch.inf, -torch.inf))
    bounds = queries.dot(high.amax(2), "positive") + queries.dot(low.amin(2), "negative")
    if see_future:
        return bounds
    own = (queries.position // page).expand(len(bounds), -1, -1)
    return _without_future(queries, bounds, page).scatter(-1, own, _own_bounds(queries, page))


def mean_key_scores(queries: LastQueries, page: int = 16) -> Tensor:
    """q . mean key of each page ``[n_heads, T, pages]``: the gate of MoBA (Lu et al. 2025), here untrained."""
    means = _pages(queries.k, page, torch.nan).nanmean(2)
    return _without_future(queries, queries.dot(means), page)


def page_mass(queries: LastQueries, page: int = 16) -> Tensor:
    """The attention that lies on each page ``[n_heads, T, pages]``: what an oracle chooses pages by."""
    padded = F.pad(queries.weights, (0, -queries.k.shape[1] % page))
    return _without_future(queries, padded.reshape(*padded.shape[:2], -1, page).sum(-1), page)


def top_pages(
    queries: LastQueries, scores: Tensor, budget: int, page: int = 16, force_own: bool = True, shared: str = "head"
) -> Tensor:
    """The ``budget // page`` best pages by scores ``[n_heads, T, pages]``; everything once ``budget`` is S or more.

    force_own: the query's own page is always among them. Heads that share a set choose by their greatest score.
    """
    if budget >= queries.k.shape[1]:
        return queries.causal.expand(len(queries.q), -1, -1)
    if budget < page:
        raise ValueError(f"budget={budget} is smaller than a page of {page}")
    scores = _shared(scores, len(queries.k), shared, "max")
    if force_own:
        number = torch.arange(scores.shape[-1], device=scores.device)
        scores = scores.masked_fill(number == queries.position // page, torch.inf)
    tokens = _best(scores, budget // page).repeat_interleave(page, dim=-1)
    return tokens[..., : queries.k.shape[1]] & queries.causal


def bytes_read(queries: LastQueries, mask: Tensor, scorer: str = "none", page: int = 16, union: bool = True) -> float:
    """Bytes of K, V and of what the choice is made by, as a share of the dense read of all K and V.

    union: a KV head is read once for all query heads of its group, so the union of their sets counts; else each query
    head is charged its own set. scorer: "none"; "bounds", two vectors a page (minimum and maximum: as much as one
    token's K and V); "means", one vector a page; "keys", all of K, after which only V of the chosen is left to read.
    """
    groups = mask.reshape(len(queries.k), -1, *mask.shape[1:])  # [n_kv, group, T, S]
    counted = groups.any(1) if union else groups.flatten(0, 1)
    chosen, dense = counted.sum(-1).double().mean(), (queries.position + 1).double().mean()
    pages = (queries.position // page + 1).double().mean()
    extra = {"none": 0 * pages, "bounds": pages, "means": pages / 2, "keys": (dense - chosen) / 2}
    if scorer not in extra:
        raise ValueError(f"scorer={scorer!r} must be one of {', '.join(extra)}")
    return ((chosen + extra[scorer]) / dense).item()


def _best(scores: Tensor, count: int) -> Tensor:
    """The ``count`` best of each row, as a mask."""
    indices = scores.topk(min(count, scores.shape[-1])).indices
    return torch.zeros_like(scores, dtype=torch.bool).scatter_(-1, indices, True)


def _shared(scores: Tensor, num_kv_heads: int, shared: str, how: str) -> Tensor:
    """Scores ``[n_heads, T, X]`` replaced by the mean or the maximum over the heads that share a set."""
    if shared not in SHARED:
        raise ValueError(f"shared={shared!r} must be one of {', '.join(SHARED)}")
    sets = {"head": len(scores), "group": num_kv_heads, "layer": 1}[shared]
    grouped = scores.reshape(sets, -1, *scores.shape[1:])
    one = grouped.mean(1, keepdim=True) if how == "mean" else grouped.amax(1, keepdim=True)
    return one.expand_as(grouped).reshape(scores.shape)


def _without_future(queries: LastQueries, scores: Tensor, page: int) -> Tensor:
    number = torch.arange(scores.shape[-1], device=scores.device)
    return scores.masked_fill(number > queries.position // page, -torch.inf)


def _pages(k: Tensor, page: int, fill: float) -> Tensor:
    """k ``[n_kv, S, D]`` as ``[n_kv, pages, page, D]``; a partial last page is filled up with ``fill``."""
    return F.pad(k, (0, 0, 0, -k.shape[1] % page), value=fill).reshape(len(k), -1, page, k.shape[2])


def _own_bounds(queries: LastQueries, page: int) -> Tensor:
    """The bound of each query's own page over the keys up to the query ``[n_heads, T, 1]``."""
    k, T = queries.k, queries.q.shape[1]
    slots = queries.position // page * page + torch.arange(page, device=k.device)  # [T, page]
    hidden = (slots > queries.position)[..., None]
    keys = k[:, slots.clamp(max=k.shape[1] - 1)]  # [n_kv, T, page, D]
    low, high = keys.masked_fill(hidden, torch.inf).amin(2), keys.masked_fill(hidden, -torch.inf).amax(2)
    q = queries.q.reshape(len(k), -1, T, k.shape[2])  # [n_kv, group, T, D]
    bounds = q.clamp(min=0) * high[:, None] + q.clamp(max=0) * low[:, None]
    return bounds.sum(-1).reshape(-1, T, 1)
