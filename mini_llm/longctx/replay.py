"""An eviction policy at work while a text is read, recorded in steps: who is held, what each drew, what it cost.

Eviction goes token by token, as in ``policies``: a query sees what is held and itself, then one key goes.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from ..kv_cache import KVCache
from ..masked_forward import forward_with_mask
from ..model import Transformer
from .policies import Evicting, Policy, Score, Seen, Watch, by_age

STEP = 16
"""Tokens in a step of a recording."""

LEVELS = (0.003, 0.01, 0.03, 0.1, 0.3)
"""Where one level of attention mass ends and the next begins: level 0 is below 0.3 %, level 5 is 30 % or more."""


def first_then_age(sinks: int) -> Score:
    """The first ``sinks`` keys and the newest others; 0 is the plain window."""

    def score(seen: Seen, budget: int) -> Tensor:
        ages = by_age(seen, budget).clone()
        ages[:, :sinks] = torch.inf
        return ages

    return score


@dataclass(frozen=True)
class Recording:
    """One reading of T tokens in T / STEP steps.

    nll ``[steps]``: mean loss in nats of the next token. mass ``[layers, steps, T]``: the attention that each token
    drew in a step, the mean over its queries and all heads. heads ``[layers, steps, T]``, int64: the KV heads in which
    the step's last query could still read the token.
    """

    nll: Tensor
    mass: Tensor
    heads: Tensor

    def cells(self) -> Tensor:
        """16 x heads + level of each token, uint8 ``[layers, steps, T]``; 0 where no KV head holds it."""
        level = torch.bucketize(self.mass, torch.tensor(LEVELS), right=True)
        return torch.where(self.heads > 0, 16 * self.heads + level, 0).to(torch.uint8)


@torch.no_grad()
def record(model: Transformer, ids: Tensor, score: Score, budget: int, layers: Sequence[int]) -> Recording:
    """Read ids ``[T + 1]``, the last only as a target, under a policy that evicts down to ``budget`` after each token.

    A budget of T or more evicts nothing. Raises ValueError when T is not a whole number of steps.
    """
    T, num_kv_heads = len(ids) - 1, model.cfg.num_key_value_heads
    if T < STEP or T % STEP:
        raise ValueError(f"{len(ids)} ids have {T} with a successor, which is not a whole number of steps of {STEP}")
    cache = KVCache(model.cfg.num_hidden_layers)
    watch = Watch(len(cache), num_kv_heads, window=1)
    drawn: dict[int, list[Tensor]] = {layer: [] for layer in layers}
    visible = {layer: torch.ones(num_kv_heads, T, T, dtype=torch.bool).tril() for layer in layers}

    def note(layer: int, weights: Tensor) -> None:
        if layer in drawn:
            drawn[layer].append(F.pad(weights[0].mean(0), (0, T - weights.shape[3])))

    def note_and_watch(layer: int, weights: Tensor) -> None:
        note(layer, weights)
        watch(layer, weights)

    logits = model(ids[None, : min(budget, T)], cache, observe=note_and_watch)[0]
    if budget < T:
        evicting = Evicting(Policy(score, streams=True), watch.seen(cache), budget)

        def select(layer: int, q: Tensor, k: Tensor) -> Tensor:
            mask = evicting(layer, q, k)
            if layer in visible:
                visible[layer][:, budget:] = mask[:: len(mask) // num_kv_heads]
            return mask

        more, _ = forward_with_mask(model, ids[budget:T], torch.arange(budget, T), cache, select, observe=note)
        logits = torch.cat((logits, more))
    nll = F.cross_entropy(logits.float(), ids[1:], reduction="none").view(-1, STEP).mean(1)
    mass = torch.stack([torch.cat(rows).view(-1, STEP, T).mean(1) for rows in drawn.values()])
    heads = torch.stack([seen[:, STEP - 1 :: STEP].sum(0) for seen in visible.values()])
    return Recording(nll, mass, heads)


def as_numbers(cells: Tensor) -> list[float]:
    """``cells`` deflated, two bytes a number, for a store that holds numbers alone."""
    data = zlib.compress(cells.numpy().tobytes(), 9)
    return [float(number) for number in np.frombuffer(data + bytes(len(data) % 2), "<u2")]


def from_numbers(numbers: Sequence[float]) -> bytes:
    """The bytes that ``as_numbers`` deflated. Raises ValueError when they are none."""
    try:
        return zlib.decompressobj().decompress(np.asarray(numbers, "<u2").tobytes())
    except zlib.error as error:
        raise ValueError(f"{len(numbers)} numbers are no deflated cells: {error}") from error
