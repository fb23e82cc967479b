"""NSA's branches and MoBA's blocks on the q, k and v of a model trained with full attention: errors at keys read.

Rows 256, 512, 1024: 1,600 tokens, sizes scaled down to read about so many keys. Rows "paper": the published sizes on
7,744 tokens. Always the last 64 queries, means of 30 layers.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import fmean

import torch
from torch import Tensor

from ..longctx.native import BRANCHES, NSA, branches, fitted_gates, gated, selected_mask
from ..longctx.probe import LayerQKV, capture_qkv
from ..longctx.sparse import (
    LastQueries,
    mean_key_scores,
    page_bounds,
    relative,
    sinks_and_window,
    top_keys,
    top_pages,
)
from .lab import Lab
from .store import Row

QUERIES, PAGE = 64, 16
SCALED = {  # budget -> sizes whose three branches read about so many of 1,600 keys, 97 of them compressed blocks
    "256": NSA(block=16, count=6, window=64),
    "512": NSA(block=16, count=18, window=128),
    "1024": NSA(block=16, count=42, window=256),
    "paper": NSA(),
}
MOBA = {"256": (64, 4), "512": (64, 8), "1024": (64, 16), "paper": (512, 3)}  # tokens a block, blocks read

ROWS = tuple(f"{text}/{method}/{size}" for text in ("story", "code") for size in SCALED for method in ("nsa", "moba"))
SAMPLE = ("story/moba/256",)
REL_TOL = 0.02


def run(lab: Lab, row: str) -> Row:
    """Errors of the attention output, relative.

    NSA: "compressed", "selected", "window", each branch alone; "equal", their mean; "fitted", mixed by constants fitted
    to full attention on the 64 queries before, for each head, with their means in "gates"; "merged", selected keys and
    window in one softmax. MoBA: "moba", a set for each query head; "mass", the attention that it keeps. "keys": read
    by one query head, what branches read in common counted in each, as in the paper. At as many keys: "sinks"
    (4 and a window), "topk_group", and "quest_group", which reads S / 16 fewer and as many bytes with its bounds."""
    text, method, size = row.split("/")
    layers = _layers(lab, text, 7744 if size == "paper" else 1600)
    measured = [_nsa(layer, SCALED[size]) if method == "nsa" else _moba(layer, *MOBA[size]) for layer in layers]
    values: Row = {name: fmean(layer[name] for layer in measured) for name in measured[0] if "gates" not in name}
    if method == "nsa":
        values["gates"] = [fmean(layer[f"gates.{branch}"] for layer in measured) for branch in BRANCHES]
    return values


def _nsa(layer: LayerQKV, nsa: NSA) -> dict[str, float]:
    both = LastQueries.of(layer, 2 * QUERIES)
    outputs, full = branches(both, layer.v, nsa), both.output(layer.v)
    gates = fitted_gates(outputs[:, :, :QUERIES], full[:, :QUERIES])
    outputs, full = outputs[:, :, QUERIES:], full[:, QUERIES:]
    queries = LastQueries.of(layer, QUERIES)
    selected, window = selected_mask(queries, nsa), sinks_and_window(queries, nsa.window)
    compressed = (queries.position - nsa.length + 1) // nsa.stride + 1
    keys = sum(part.sum(-1).float().mean().item() for part in (selected, window)) + compressed.float().mean().item()
    return {
        **{branch: relative(output, full) for branch, output in zip(BRANCHES, outputs, strict=True)},
        "equal": relative(outputs.mean(0), full),
        "fitted": relative(gated(outputs, gates), full),
        "merged": queries.error(layer.v, selected | window),
        "keys": keys,
        **{f"gates.{branch}": gates[:, i].mean().item() for i, branch in enumerate(BRANCHES)},
        **_references(queries, layer.v, round(keys)),
    }


def _moba(layer: LayerQKV, block: int, count: int) -> dict[str, float]:
    queries = LastQueries.of(layer, QUERIES)
    mask = top_pages(queries, mean_key_scores(queries, block), block * count, block)
    keys = mask.sum(-1).float().mean().item()
    return {
        "moba": queries.error(layer.v, mask),
        "mass": queries.kept_mass(mask),
        "keys": keys,
        **_references(queries, layer.v, round(keys)),
    }


def _references(queries: LastQueries, v: Tensor, keys: int) -> dict[str, float]:
    pages = top_pages(queries, page_bounds(queries, PAGE), keys - queries.k.shape[1] // PAGE, PAGE, shared="group")
    return {
        "sinks": queries.error(v, sinks_and_window(queries, keys, sinks=4)),
        "quest_group": queries.error(v, pages),
        "topk_group": queries.error(v, top_keys(queries, keys, "group")),
    }


@lru_cache(maxsize=1)
@torch.no_grad()
def _layers(lab: Lab, text: str, length: int) -> list[LayerQKV]:
    """The layers, with the last queries alone."""
    layers = capture_qkv(lab.model, lab.ids(text, length))
    return [LayerQKV(layer.q[:, -2 * QUERIES :].clone(), layer.k, layer.v) for layer in layers]
