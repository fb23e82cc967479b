"""Perplexity of a text read token by token through a cache of constant size: how many sinks, at which positions."""

from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor

from ..bounded_cache import BoundedKVCache
from ..kv_cache import KVCache
from ..longctx.perplexity import next_token_nll
from ..longctx.text import TEXTS
from .lab import Lab
from .store import Row

LENGTH = 1600
BUDGETS = (128, 256, 512)
SINKS = (0, 1, 2, 4, 8, 16)
ROWS = tuple(
    f"{text}/{rest}"
    for text in TEXTS
    for rest in ("full", *(f"{budget}/{scheme}" for budget in BUDGETS for scheme in ("original", "cache")))
)
SAMPLE = ("story/full", "code/full")
REL_TOL = 0.01


def run(lab: Lab, row: str) -> Row:
    """Perplexity over all predictions, by the number of sinks, and ("after.") after the first BUDGET tokens."""
    text, rest = row.split("/", 1)
    values: Row = {}
    if rest == "full":
        cache = KVCache(lab.model.cfg.num_hidden_layers)
        nll = next_token_nll(lab.model, lab.ids(text, LENGTH), cache)
        values["ppl"] = _perplexity(nll)
        for size in BUDGETS:
            values[f"after.{size}"] = _perplexity(nll[size:])
        return values
    budget, scheme = int(rest.split("/")[0]), rest.split("/")[1]
    for sinks in SINKS:  # without sinks the two position schemes are one
        nll = _streamed(lab, text, budget, sinks, scheme == "cache" and sinks > 0)
        values[str(sinks)] = _perplexity(nll)
        values[f"after.{sinks}"] = _perplexity(nll[budget:])
    return values


@lru_cache(maxsize=len(SINKS))
def _streamed(lab: Lab, text: str, budget: int, sinks: int, in_cache: bool) -> Tensor:
    """Losses ``[LENGTH - 1]``."""
    cache = BoundedKVCache(lab.model.cfg.num_hidden_layers, budget, sinks, in_cache)
    return next_token_nll(lab.model, lab.ids(text, LENGTH), cache)


def _perplexity(nll: Tensor) -> float:
    return float(torch.exp(nll.double().mean()))
