"""How much attention the first token of a text draws, by layer and head."""

from __future__ import annotations

import torch
from torch import Tensor

from ..kv_cache import KVCache
from ..longctx.text import TEXTS
from .lab import Lab
from .store import Row

LENGTH = 1600
QUERIES = 64
ROWS = tuple(TEXTS)
SAMPLE = ROWS
REL_TOL = 0.01


@torch.no_grad()
def run(lab: Lab, row: str) -> Row:
    """Of each layer, the mean over the last 64 queries: each head's share on token 0 ("layer."), and what tokens 1 to 3
    get together, the mean over the heads ("next.")."""
    ids = lab.ids(row, LENGTH)
    cache = KVCache(lab.model.cfg.num_hidden_layers)
    lab.model(ids[None, :-QUERIES], cache, logits_for=[-1])
    values: Row = {}

    def note(layer: int, weights: Tensor) -> None:
        first = weights[0, :, :, :4].mean(1)  # [n_heads, 4]
        values[f"layer.{layer}"] = first[:, 0].tolist()
        values[f"next.{layer}"] = float(first[:, 1:].sum(1).mean())

    lab.model(ids[None, -QUERIES:], cache, logits_for=[-1], observe=note)
    return values
