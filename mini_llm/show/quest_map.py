"""Quest's choice seen whole: which pages each query reads, its bound against the truth, the error as the budget moves.

Everything shown is computed from real queries, keys and values by ``longctx.sparse``, the choice of pages for every
budget included: the view only looks it up, and needs no kernel for the heads recorded in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from ..longctx.sparse import LastQueries
from .plots import BLUE, GREY, ORANGE
from .quest_head import MISSED, SHARES, SINKS, WASTED, Head
from .widget import CourseWidget

BUDGETS = (64, 128, 192, 256, 384, 512, 768, 1024)
ROWS = 24


class QuestMap(CourseWidget):
    """``QuestMap(queries, values, recorded=[(18, 6), (3, 0)])``: each layer's newest T queries, and its values
    ``[n_kv, S, D]``. The (layer, head) pairs in ``recorded`` are saved with the notebook, and the first is shown; with
    a kernel every layer and head can be asked for. budgets: at most 8, in tokens; page: tokens a page.

    At most 24 of the queries are drawn, evenly spaced and with the newest; errors and counts are over all T.
    """

    script = "quest_map.js"
    before = ("quest_map_words.js", "quest_map_pages.js")
    shape = traitlets.Dict().tag(sync=True)
    numbers = traitlets.List().tag(sync=True)
    cells = traitlets.Bytes().tag(sync=True)
    live_numbers = traitlets.Dict().tag(sync=True)
    live_cells = traitlets.Bytes().tag(sync=True)
    layer = traitlets.Int().tag(sync=True)
    head = traitlets.Int().tag(sync=True)
    budget = traitlets.Int().tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)

    def __init__(
        self,
        queries: Sequence[LastQueries],
        values: Sequence[Tensor],
        recorded: Sequence[tuple[int, int]] = ((0, 0),),
        budgets: Sequence[int] = BUDGETS,
        page: int = 16,
    ) -> None:
        _check(queries, values, recorded, budgets, page)
        (heads, T), S = queries[0].q.shape[:2], queries[0].k.shape[1]
        self.queries, self.values, self.budgets, self.page = queries, values, tuple(budgets), page
        self.rows = slice((T - 1) % -(-T // ROWS), T, -(-T // ROWS))
        shape: dict[str, Any] = {"layers": len(queries), "heads": heads, "queries": T, "page": page}
        shape |= {"pages": -(-S // page), "positions": queries[0].position[self.rows, 0].tolist()}
        shape |= {"budgets": list(budgets), "missed": MISSED, "wasted": WASTED, "shares": SHARES, "sinks": SINKS}
        packed = [self._packed(layer, head) for layer, head in recorded]
        layer, head = recorded[0]
        budget = 256 if 256 in budgets else budgets[0]
        state = {"numbers": [numbers for numbers, _ in packed], "cells": b"".join(cells for _, cells in packed)}
        super().__init__(shape=shape, layer=layer, head=head, budget=budget, **state)
        self.observe(self._ask, names=["layer", "head"])

    def measured(self, layer: int, head: int) -> Head:
        """What is shown of one head, before it is packed."""
        return Head.measure(self.queries[layer], self.values[layer], head, self.budgets, self.page)

    def _packed(self, layer: int, head: int) -> tuple[dict[str, Any], bytes]:
        numbers, cells = self.measured(layer, head).packed(self.rows)
        return numbers | {"layer": layer, "head": head}, cells

    @traitlets.validate("layer", "head", "budget")  # type: ignore[untyped-decorator]
    def _allowed(self, proposal: Any) -> int:
        name, value = proposal["trait"].name, int(proposal["value"])
        ranges = {"layer": range(len(self.queries)), "head": range(len(self.queries[0].q))}
        allowed = ranges.get(name, self.budgets)
        if value not in allowed:
            raise ValueError(f"{name}={value} must be in {allowed}")
        return value

    def _ask(self, change: object) -> None:
        """Sends a pair that is not recorded."""
        known = [*self.numbers, self.live_numbers]
        if not any((one.get("layer"), one.get("head")) == (self.layer, self.head) for one in known):
            numbers, cells = self._packed(self.layer, self.head)
            with self.hold_sync():
                self.live_numbers, self.live_cells = numbers, cells

    def figure(self) -> Figure:
        head, at = self.measured(self.layer, self.head), self.budgets.index(self.budget)
        read, missed, wasted = (head.counts()[name][at] for name in ("read", "missed", "wasted"))
        figure = Figure(figsize=(8, 3.4))
        pages, errors = figure.subplots(1, 2, width_ratios=(3, 1))
        _draw_pages(pages, head, at)
        _draw_errors(errors, head, self.budgets, at)
        figure.suptitle(
            f"Quest, layer {self.layer}, head {self.head}, budget {self.budget}: of {read:.0f} pages read (blue)"
            f" {wasted:.1f} in vain, {missed:.1f} missed (x)"
        )
        return figure


def _draw_pages(axis: Axes, head: Head, at: int) -> None:
    """Query by page; blue: read, orange: not read; the darker, the more attention; a cross where a page is missed."""
    read, mass = head.read[at].cpu().numpy(), head.mass.cpu().numpy()
    shade = np.maximum(np.log10(np.maximum(mass, 1e-4)) / 4 + 1, 0.15 * read)[..., None]
    tints = np.array([[0.85, 0.40, 0.04], [0.12, 0.44, 0.71]])[read.astype(int)]
    axis.imshow(1 - shade * (1 - tints), aspect="auto", interpolation="nearest")
    rows, pages = np.nonzero(~read & (mass >= MISSED))
    axis.plot(pages, rows, "x", color="black", ms=3, mew=0.7)
    axis.set(xlabel="page (the darker, the more attention)", ylabel="query")


def _draw_errors(axis: Axes, head: Head, budgets: Sequence[int], at: int) -> None:
    """Each method's error against the budget, that of Quest at the present one marked."""
    looks = {"quest": ("-", BLUE, "Quest"), "sinks": ("--", GREY, "sinks + window"), "oracle": (":", ORANGE, "oracle")}
    for name, (style, colour, label) in looks.items():
        axis.plot(budgets, head.error[name], style, color=colour, label=label)
    axis.plot(budgets[at], head.error["quest"][at], "o", color=BLUE)
    axis.set_xscale("log", base=2)
    axis.set_xticks([budgets[0], budgets[at], budgets[-1]], [str(budgets[0]), str(budgets[at]), str(budgets[-1])])
    axis.set(xlabel="budget in tokens", title="Relative error")
    axis.set_ylim(0, 1.4 * axis.get_ylim()[1])  # room for the names
    axis.legend(loc="upper right", fontsize=8)


def _check(
    queries: Sequence[LastQueries],
    values: Sequence[Tensor],
    recorded: Sequence[tuple[int, int]],
    budgets: Sequence[int],
    page: int,
) -> None:
    if len(queries) != len(values):
        raise ValueError(f"{len(queries)} layers of queries, but {len(values)} of values")
    if not 1 <= len(budgets) <= 8 or list(budgets) != sorted(set(budgets)) or budgets[0] < page:
        raise ValueError(f"budgets={tuple(budgets)} must be 1 to 8 rising numbers from page={page} on")
    heads = len(queries[0].q)
    wrong = [(layer, head) for layer, head in recorded if not (0 <= layer < len(queries) and 0 <= head < heads)]
    if wrong or not recorded:
        raise ValueError(f"recorded={wrong or recorded} must be layers below {len(queries)} and heads below {heads}")
