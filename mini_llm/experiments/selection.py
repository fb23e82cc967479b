"""What each rule of choosing keys reads and loses: attention output error of 30 layers, last 64 of 1,600 queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from statistics import fmean

from torch import Tensor

from ..longctx.probe import capture_qkv
from ..longctx.sparse import (
    LastQueries,
    bytes_read,
    mean_key_scores,
    page_bounds,
    page_mass,
    sinks_and_window,
    top_keys,
    top_pages,
)
from .lab import Lab
from .store import Row

TOKENS, QUERIES, PAGE = 1600, 64, 16
BUDGETS = (64, 128, 256, 512, 1024)
PAGES = (4, 8, 16, 32, 64)

Rule = Callable[[LastQueries, int, int], Tensor]
"""(queries, budget, page) -> mask."""

METHODS: dict[str, tuple[Rule, str]] = {  # with what each reads to choose by, for ``bytes_read``
    "window": (lambda x, budget, page: sinks_and_window(x, budget), "none"),
    "sinks": (lambda x, budget, page: sinks_and_window(x, budget, sinks=4), "none"),
    "mean_pages": (lambda x, budget, page: top_pages(x, mean_key_scores(x, page), budget, page), "means"),
    "quest_h0": (
        lambda x, budget, page: top_pages(x, page_bounds(x, page, see_future=True), budget, page, force_own=False),
        "bounds",
    ),
    "quest": (lambda x, budget, page: top_pages(x, page_bounds(x, page), budget, page), "bounds"),
    "quest_unforced": (
        lambda x, budget, page: top_pages(x, page_bounds(x, page), budget, page, force_own=False),
        "bounds",
    ),
    "quest_group": (lambda x, budget, page: top_pages(x, page_bounds(x, page), budget, page, shared="group"), "bounds"),
    "oracle": (lambda x, budget, page: top_pages(x, page_mass(x, page), budget, page), "keys"),
    "topk": (lambda x, budget, page: top_keys(x, budget), "keys"),
    "topk_group": (lambda x, budget, page: top_keys(x, budget, "group"), "keys"),
    "topk_layer": (lambda x, budget, page: top_keys(x, budget, "layer"), "keys"),
}

_RULES = (*METHODS, *(f"quest/page{page}" for page in PAGES))
ROWS = tuple(f"{text}/{rule}" for text in ("story", "code") for rule in _RULES)
SAMPLE = ("story/quest",)
REL_TOL = 0.01


def run(lab: Lab, row: str) -> Row:
    """Means over layers, for each budget B: "B", the output's relative error; "mass.B", attention kept; "keys.B",
    keys that one query head reads; "bytes.B", bytes read as a share of dense, the scorer's included, a KV head read
    once for its group's union; "bytes_alone.B", the same with each query head charged its own set. "layers.256": the
    errors of the layers."""
    text, method, *paged = row.split("/")
    page = int(paged[0].removeprefix("page")) if paged else PAGE
    choose, scorer = METHODS[method]
    values: Row = {}
    for budget in BUDGETS:
        measured = [_measure(x, v, choose(x, budget, page), scorer, page) for x, v in _layers(lab, text)]
        for name in measured[0]:
            values[f"{name}{budget}"] = fmean(layer[name] for layer in measured)
        if budget == 256:
            values["layers.256"] = [layer[""] for layer in measured]
    return values


def _measure(queries: LastQueries, v: Tensor, mask: Tensor, scorer: str, page: int) -> dict[str, float]:
    return {
        "": queries.error(v, mask),
        "mass.": queries.kept_mass(mask),
        "keys.": mask.sum(-1).float().mean().item(),
        "bytes.": bytes_read(queries, mask, scorer, page),
        "bytes_alone.": bytes_read(queries, mask, scorer, page, union=False),
    }


@lru_cache(maxsize=1)
def _layers(lab: Lab, text: str) -> list[tuple[LastQueries, Tensor]]:
    """Queries and v of every layer."""
    layers = capture_qkv(lab.model, lab.ids(text, TOKENS))
    return [(LastQueries(layer.q[:, -QUERIES:].clone(), layer.k), layer.v) for layer in layers]
