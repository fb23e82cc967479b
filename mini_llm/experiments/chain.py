"""Lost attention mass, attention output, logits, loss: one selection rule in all layers, last 256 of 1,600 queries."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from torch import Tensor

from ..longctx.chain import ErrorChain, read_all
from ..longctx.sparse import LastQueries, page_bounds, sinks_and_window, top_keys, top_pages
from .lab import Lab
from .store import Row

TOKENS, QUERIES = 1600, 256
METHODS: dict[str, Callable[[LastQueries, int], Tensor]] = {
    "window": lambda queries, budget: sinks_and_window(queries, budget),
    "sinks": lambda queries, budget: sinks_and_window(queries, budget, sinks=4),
    "quest": lambda queries, budget: top_pages(queries, page_bounds(queries), budget),
    "topk": lambda queries, budget: top_keys(queries, budget),
}
DENSE = "_dense2"  # the first two layers read everything, as in Quest's own evaluation
_NAMES = (*METHODS, *(f"{method}{DENSE}" for method in ("sinks", "quest", "topk")))
ROWS = tuple(f"{text}/{name}/{budget}" for text in ("story", "code") for name in _NAMES for budget in (64, 256, 512))
SAMPLE = ("story/quest/256",)
REL_TOL = 0.02


def run(lab: Lab, row: str) -> Row:
    """What ``ErrorChain.follow`` tells, by its names."""
    text, name, budget = row.split("/")
    method, dense_layers = METHODS[name.removesuffix(DENSE)], 2 if name.endswith(DENSE) else 0

    def choose(layer: int, queries: LastQueries) -> Tensor:
        return read_all(layer, queries) if layer < dense_layers else method(queries, int(budget))

    return _chain(lab, text).follow(choose)


@lru_cache(maxsize=1)
def _chain(lab: Lab, text: str) -> ErrorChain:
    return ErrorChain(lab.model, lab.ids(text, TOKENS + 1), QUERIES)
