"""A lightning indexer distilled on each layer's attention over one text, against Quest and sinks at equal bytes read.

Trained on the first 6,144 tokens of a text in four pieces; tested on the last 64 queries of the 1,600 tokens after
them, and of the other text's. Index keys of 24 dimensions are 24 of the 384 numbers of a token's K and V: 1/16, what
Quest reads of its pages' bounds.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from statistics import fmean

import torch
from torch import Tensor

from ..longctx.indexer import LightningIndexer, capture_inputs, distill
from ..longctx.probe import LayerQKV
from ..longctx.sparse import LastQueries, bytes_read, page_bounds, sinks_and_window, top_indexed, top_keys, top_pages
from .lab import Lab
from .store import Row

PIECES, PIECE, TOKENS, QUERIES, PAGE = 4, 1536, 1600, 64, 16
HEADS, DIM, STEPS, ROWS_A_STEP, RATE = 8, 24, 200, 256, 5e-3
TEXTS = ("story", "code")
BUDGETS = (64, 128, 256, 512)

ROWS = (
    *(f"{trained}/{tested}/{budget}" for trained in TEXTS for tested in TEXTS for budget in BUDGETS),
    *(f"{trained}/{tested}/256/layer12" for trained in TEXTS for tested in TEXTS),
)
SAMPLE = ("story/story/256/layer12",)
REL_TOL = 0.1  # training gathers what machines round differently

Captured = tuple[list[Tensor], list[LayerQKV]]


def run(lab: Lab, row: str) -> Row:
    """Rows "trained on/tested on/budget", all layers or one. For each method M: "M", the output's relative error;
    "mass.M", attention kept; "bytes.M", bytes read as a share of dense. "loss.start", "loss.end": KL in nats, mean of
    the first and last ten steps. "better": share of layers in which the indexer errs less than quest_group.
    "layers.M": the errors of the layers.

    indexer: one set a layer. quest_group: one set a KV group, of as many keys. quest: a set for each query head, of as
    many pages as the indexer's bytes allow. sinks: 4 sinks and a window of the indexer's bytes. topk_layer: the best
    set of the indexer's size, found with all scores (its bytes are those of the set alone).
    """
    trained, tested, budget, *one = row.split("/")
    layers = [int(one[0].removeprefix("layer"))] if one else list(range(lab.model.cfg.num_hidden_layers))
    inputs, captured = _captured(lab, tested, PIECES * PIECE, TOKENS)
    found: dict[str, list[float]] = {}
    losses = []
    for layer in layers:
        indexer, loss = _indexer(lab, trained, layer)
        losses.append(loss)
        for name, value in _compare(indexer, inputs[layer], captured[layer], int(budget)).items():
            found.setdefault(name, []).append(value)
    values: Row = {name: fmean(of_layers) for name, of_layers in found.items()}
    values |= {"loss.start": fmean(loss[0] for loss in losses), "loss.end": fmean(loss[1] for loss in losses)}
    pairs = zip(found["indexer"], found["quest_group"], strict=True)
    values["better"] = fmean(float(indexer < quest) for indexer, quest in pairs)
    for method in ("indexer", "quest_group"):
        values[f"layers.{method}"] = found[method]
    return values


def _compare(indexer: LightningIndexer, x: Tensor, layer: LayerQKV, budget: int) -> dict[str, float]:
    queries = LastQueries.of(layer, QUERIES)
    with torch.no_grad():
        scores = indexer(x, QUERIES)
    index_share = DIM / (2 * layer.k.shape[0] * layer.k.shape[2])  # of a token's K and V in all KV heads
    chosen = top_indexed(queries, scores, budget)
    allowed = bytes_read(queries, chosen) + index_share
    bounds = page_bounds(queries, PAGE)
    per_head = _largest_within(queries, bounds, allowed)
    masks = {
        "indexer": (chosen, index_share, "none"),
        "quest_group": (top_pages(queries, bounds, budget, PAGE, shared="group"), 0.0, "bounds"),
        "quest": (per_head, 0.0, "bounds"),
        "sinks": (sinks_and_window(queries, budget + int(index_share * TOKENS), sinks=4), 0.0, "none"),
        "topk_layer": (top_keys(queries, budget, "layer"), 0.0, "none"),
    }
    values: dict[str, float] = {}
    for name, (mask, extra, scorer) in masks.items():
        values[name] = queries.error(layer.v, mask)
        values[f"mass.{name}"] = queries.kept_mass(mask)
        values[f"bytes.{name}"] = bytes_read(queries, mask, scorer, PAGE) + extra
    return values


def _largest_within(queries: LastQueries, bounds: Tensor, allowed: float) -> Tensor:
    """Quest's mask with a set for each query head and the most pages that are read within a share of dense bytes."""
    best = top_pages(queries, bounds, PAGE, PAGE)
    for pages in range(2, TOKENS // PAGE):
        mask = top_pages(queries, bounds, pages * PAGE, PAGE)
        if bytes_read(queries, mask, "bounds", PAGE) > allowed:
            break
        best = mask
    return best


@lru_cache(maxsize=2 * 30)
def _indexer(lab: Lab, text: str, layer: int) -> tuple[LightningIndexer, tuple[float, float]]:
    """An indexer trained on a text's first part, and its loss before and after."""
    pieces = [_captured(lab, text, piece * PIECE, PIECE) for piece in range(PIECES)]
    inputs = [piece[0][layer] for piece in pieces]
    targets = [LastQueries.of(piece[1][layer], PIECE).weights.mean(0) for piece in pieces]
    generator = torch.Generator().manual_seed(layer)
    cfg = lab.model.cfg
    indexer = LightningIndexer(cfg.hidden_size, HEADS, DIM, cfg.rope_theta, generator)

    def batches() -> Iterator[tuple[Tensor, Tensor]]:
        while True:
            piece = int(torch.randint(PIECES, (), generator=generator))
            end = int(torch.randint(ROWS_A_STEP, PIECE + 1, (), generator=generator))
            yield inputs[piece][:end], targets[piece][end - ROWS_A_STEP : end, :end]

    losses = distill(indexer, batches(), STEPS, RATE)
    return indexer, (fmean(losses[:10]), fmean(losses[-10:]))


@lru_cache(maxsize=PIECES + 2)
def _captured(lab: Lab, text: str, start: int, length: int) -> Captured:
    return capture_inputs(lab.model, lab.ids(text, start + length)[start:])
