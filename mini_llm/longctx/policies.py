"""Policies that keep a budget of keys for each KV head once the prompt is read: what stays, and how many bytes it is.

Everything is *simulated*: one masked pass hides what a policy evicted, and what would be held is counted.  Evicted keys
never come back.  Keys keep the positions that they had in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor

from ..kv_cache import KVCache
from ..model import Transformer

SINKS = 4
KERNEL = 5
STEEPNESS = 20


@dataclass(frozen=True)
class Seen:
    """What one layer knows of its S keys when some must go.

    k ``[n_kv, S, D]``, rotated. totals ``[n_kv, S]``: the probability that each key got, summed over all queries so far
    and the heads of its group. last ``[n_heads, W, S]``: the probabilities of the newest W queries.
    """

    k: Tensor
    totals: Tensor
    last: Tensor


Score = Callable[[Seen, int], Tensor]
"""(what was seen, budget) -> ``[n_kv, S]``; each KV head keeps its ``budget`` best; inf always stays."""


def by_age(seen: Seen, budget: int) -> Tensor:
    """The newest keys: a sliding window."""
    return torch.arange(seen.k.shape[1], dtype=torch.float32).expand_as(seen.totals)


def sinks_then_age(seen: Seen, budget: int) -> Tensor:
    """The first four keys and the newest others: StreamingLLM (Xiao et al. 2024)."""
    score = by_age(seen, budget).clone()
    score[:, :SINKS] = torch.inf
    return score


def heavy_hitters(seen: Seen, budget: int) -> Tensor:
    """Half of the budget for the newest, the rest for the greatest plain totals: H2O (Zhang et al. 2023)."""
    score = seen.totals.clone()
    score[:, max(0, score.shape[1] - budget // 2) :] = torch.inf
    return score


def window_votes(seen: Seen, budget: int) -> Tensor:
    """The last W keys, and those that the last W queries attend to, pooled over 5 keys: SnapKV (Li et al. 2024).

    One set for a KV head, by the sum over its group; a budget of less than W keeps any of the window.
    """
    W, S = seen.last.shape[1:]
    votes = seen.last.reshape(len(seen.totals), -1, S).sum(1)  # the heads of a KV head and their queries, [n_kv, S]
    votes[:, S - W :] = 0.0
    pooled = F.avg_pool1d(votes, KERNEL, 1, KERNEL // 2)
    pooled[:, S - W :] = torch.inf
    return pooled


def last_query(seen: Seen, budget: int) -> Tensor:
    """What the newest query attends to, the mean over all heads of the layer: TOVA (Oren et al. 2024).

    One set for all KV heads, as in the paper; nothing is protected, not even the newest key.
    """
    return seen.last[:, -1].mean(0).expand_as(seen.totals)


def small_norm(seen: Seen, budget: int) -> Tensor:
    """The keys of least norm, whatever was asked (Devoto et al. 2024)."""
    return -seen.k.norm(dim=-1)


def chance(generator: torch.Generator) -> Score:
    """Keys drawn at random, for each KV head its own."""
    return lambda seen, budget: torch.rand(seen.totals.shape, generator=generator)


def pyramid(budget: int, num_layers: int, window: int, num_keys: int) -> list[int]:
    """Budgets that fall linearly with depth, ``budget`` on average: PyramidKV (Cai et al. 2024), beta = 20.

    Of each budget ``window`` goes to the observation window.  The authors' rounding misses the total; here it is exact.
    """
    if budget >= num_keys or budget <= window or num_layers == 1:
        return [budget] * num_layers
    shared = budget - window
    top = min(2 * shared - shared // STEEPNESS, num_keys - window)
    steps = num_layers - 1
    falling = [top + -layer * 2 * (top - shared) // steps for layer in range(num_layers)]  # down to 2 * shared - top
    missing = num_layers * shared - sum(falling)  # what rounding down took; to the layers after the first
    return [window + places + (1 <= layer <= missing) for layer, places in enumerate(falling)]


@dataclass(frozen=True)
class Policy:
    """A score, and when it is asked.

    streams: the policy evicts after the prompt and after every new token, and holds ``budget`` keys for good.
    Otherwise it evicts once, after the prompt; new tokens then stay, and what is held grows.
    """

    score: Score
    streams: bool
    falls: bool = False  # layers have budgets of their own, by ``pyramid``


def policy(name: str, generator: torch.Generator | None = None) -> Policy:
    """A policy by its name; ``random`` needs the generator. Raises KeyError for an unknown name."""
    known = {
        "window": Policy(by_age, True),
        "sinks": Policy(sinks_then_age, True),
        "h2o": Policy(heavy_hitters, True),
        "tova": Policy(last_query, True),
        "snapkv": Policy(window_votes, False),
        "pyramid": Policy(window_votes, False, falls=True),
        "knorm": Policy(small_norm, False),
    }
    if generator is not None:
        known["random"] = Policy(chance(generator), False)
    return known[name]


class Evicting:
    """A ``select`` for one ``forward_with_mask`` over a prompt's cache, in which a policy evicts.

    The prompt was read densely and is evicted down to the budget first; then the T new tokens come one by one, each
    attends to what is alive and to itself, and a streaming policy evicts after each. T masked rows give what T steps
    would: which keys a layer keeps depends on its own queries and keys alone.
    """

    def __init__(self, chosen: Policy, seen: Sequence[Seen], budget: int) -> None:
        """seen: of every layer, after the prompt. Raises ValueError for a budget below 1."""
        if budget < 1:
            raise ValueError(f"budget={budget} must be at least 1")
        num_keys, window = seen[0].k.shape[1], seen[0].last.shape[1]
        self._policy, self._seen = chosen, seen
        self.budgets = pyramid(budget, len(seen), window, num_keys) if chosen.falls else [budget] * len(seen)
        self._held: dict[int, Tensor] = {}

    def __call__(self, layer: int, q: Tensor, k: Tensor) -> Tensor:
        """q ``[1, n_heads, T, D]``, k ``[1, n_kv, S + T, D]`` -> bool ``[n_heads, T, S + T]``."""
        seen, T = self._seen[layer], q.shape[2]
        kept = best(self._policy.score(seen, self.budgets[layer]), self.budgets[layer])
        if self._policy.streams:
            mask, held = self._stream(layer, q[0], k[0], kept)
        else:
            new = torch.ones(T, T, dtype=torch.bool).tril().expand(len(kept), T, T)
            mask = torch.cat((kept[:, None].expand(-1, T, -1), new), dim=2)
            held = mask.sum((0, 2))
        self._held[layer] = held
        return mask.repeat_interleave(q.shape[1] // len(mask), dim=0)

    def _stream(self, layer: int, q: Tensor, k: Tensor, kept: Tensor) -> tuple[Tensor, Tensor]:
        """What each new token sees, bool ``[n_kv, T, S + T]``, and the slots held after it, ``[T]``."""
        seen, budget = self._seen[layer], self.budgets[layer]
        (num_heads, T, D), (num_kv_heads, total, _) = q.shape, k.shape
        scores = (q.reshape(num_kv_heads, -1, D) @ k.mT * D**-0.5).view(num_kv_heads, -1, T, total)
        hidden, totals = F.pad(~kept, (0, T), value=True), F.pad(seen.totals, (0, T))
        mask, held, count = hidden.new_empty(num_kv_heads, T, total), torch.empty(T), int(kept[0].sum())
        for t in range(T):
            n = total - T + t + 1  # keys that have come
            hidden[:, n - 1] = False
            mask[:, t] = ~hidden
            weights = scores[:, :, t, :n].masked_fill(hidden[:, None, :n], -torch.inf).softmax(-1)
            totals[:, :n] += weights.sum(1)
            if count == budget:  # every KV head holds one too many
                score = self._policy.score(Seen(k[:, :n], totals[:, :n], weights.view(num_heads, 1, n)), budget)
                hidden.scatter_(1, score.masked_fill(hidden[:, :n], torch.inf).argmin(1, keepdim=True), True)
            else:
                count += 1
            held[t] = num_kv_heads * count
        return mask, held

    def kv_bytes(self, head_dim: int, bytes_per_element: int = 4) -> float:
        """Bytes of K and V held after a new token, in all layers and KV heads, averaged over the new tokens."""
        slots = torch.stack(list(self._held.values())).double().sum(0).mean()
        return float(slots) * 2 * head_dim * bytes_per_element


def best(score: Tensor, budget: int) -> Tensor:
    """The ``budget`` best of each row of ``score`` ``[n_kv, S]``, as bool of that shape."""
    kept = torch.zeros_like(score, dtype=torch.bool)
    return kept.scatter_(1, score.topk(min(budget, score.shape[1])).indices, True)


class Watch:
    """An ``observe`` that gathers what each layer's policy may ask of the queries of one or several passes."""

    def __init__(self, num_layers: int, num_kv_heads: int, window: int) -> None:
        self._kv_heads, self._window = num_kv_heads, window
        self._totals: list[Tensor | None] = [None] * num_layers
        self._last: list[Tensor | None] = [None] * num_layers

    def __call__(self, layer: int, weights: Tensor) -> None:
        """weights ``[1, n_heads, T, S + T]``, of the newest T queries."""
        rows, S = weights[0], weights.shape[3]
        totals = rows.sum(1).view(self._kv_heads, -1, S).sum(1)
        last = rows[:, -self._window :]
        before, earlier = self._totals[layer], self._last[layer]
        if before is not None and earlier is not None:
            totals = totals + F.pad(before, (0, S - before.shape[1]))
            last = torch.cat((F.pad(earlier, (0, S - earlier.shape[2])), last), dim=1)[:, -self._window :]
        self._totals[layer], self._last[layer] = totals, last.clone()

    def seen(self, cache: KVCache) -> list[Seen]:
        """What every layer saw; ``cache`` holds the keys, which are not copied."""
        parts = zip(cache.k, self._totals, self._last, strict=True)
        return [Seen(k[0], totals, last) for k, totals, last in parts if totals is not None and last is not None]


@torch.no_grad()
def watched_prefill(
    model: Transformer, ids: Tensor, cache: KVCache, window: int = 32, chunk: int = 256
) -> tuple[list[Seen], Tensor]:
    """Read a prompt ids ``[T]`` densely into an empty cache.

    Returns what each layer saw, with the last ``window`` queries, and the logits ``[vocab]`` after the prompt.
    """
    watch = Watch(len(cache), model.cfg.num_key_value_heads, window)
    for piece in torch.split(ids, chunk):
        logits = model(piece[None], cache, logits_for=[-1], observe=watch)
    return watch.seen(cache), logits[0, -1]
