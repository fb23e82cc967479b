"""The eviction visualiser: who is kept while a text is read, what attention each draws, and what the choice costs."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from ..longctx.replay import LEVELS, STEP, from_numbers
from .plots import BLUE, GREY, ORANGE
from .widget import CourseWidget

Recorded = Mapping[str, Mapping[str, Any]]

WIDE = 4  # tokens that the figure draws wide, as the view does


class EvictionReplay(CourseWidget):
    """``EvictionReplay(results("replay"), text)``: a row a step of the reading, a column a token, the loss beside it.

    recorded: the rows of ``mini_llm.experiments.replay``, for each choice such as "sinks.1/64" and the full cache
    ("full/384"): "<choice>/steps" with ``nll`` and ``first.<layer>``, "<choice>/cells" with ``deflated``.
    text: what was read; the full cache's ``ends`` tell where its tokens end, in characters.
    Raises ValueError when the text is too short, or tokens or cells do not fit the number of steps.
    """

    script = "eviction_replay.js"
    before = ("inflate.js", "eviction_replay_words.js", "eviction_replay_strip.js")
    choices = traitlets.List().tag(sync=True)
    layers = traitlets.List().tag(sync=True)
    losses = traitlets.Dict().tag(sync=True)  # choice -> [steps], nats
    first = traitlets.Dict().tag(sync=True)  # choice -> [layers][steps], token 0's share in whole per cents
    cells = traitlets.Bytes().tag(sync=True)  # deflated uint8 [layers, choices, steps, T], see Recording.cells
    tokens = traitlets.List().tag(sync=True)
    policy = traitlets.Unicode("sinks").tag(sync=True)
    sinks = traitlets.Int(0).tag(sync=True)
    budget = traitlets.Int(64).tag(sync=True)
    layer = traitlets.Int(14).tag(sync=True)
    step = traitlets.Int().tag(sync=True)

    def __init__(self, recorded: Recorded, text: str) -> None:
        steps = {row.removesuffix("/steps"): values for row, values in recorded.items() if row.endswith("/steps")}
        full = next(values for choice, values in steps.items() if choice.startswith("full/"))
        names = [name for name in full if name.startswith("first.")]
        shape = (len(names), len(full["nll"]), len(full["nll"]) * STEP)
        self._cells = np.stack([_cells(recorded[f"{choice}/cells"]["deflated"], shape) for choice in steps], axis=1)
        super().__init__(
            choices=list(steps),
            layers=[int(name.removeprefix("first.")) for name in names],
            losses={choice: [round(nll, 3) for nll in values["nll"]] for choice, values in steps.items()},
            first={
                choice: [[round(100 * share) for share in values[name]] for name in names]
                for choice, values in steps.items()
            },
            cells=zlib.compress(self._cells.tobytes(), 9),
            tokens=_tokens(text, full["ends"], shape[2]),
            step=shape[1] - 1,
        )

    @property
    def shown(self) -> str:
        """The choice that is shown, such as ``"sinks.0/64"``."""
        if self.policy == "full":
            return self._full
        return f"{f'sinks.{self.sinks}' if self.policy == 'sinks' else self.policy}/{self.budget}"

    @property
    def _full(self) -> str:
        return next(choice for choice in self.choices if choice.startswith("full/"))

    def figure(self) -> Figure:
        layer, shown = self.layers.index(self.layer), self.shown
        cells = self._cells[layer, self.choices.index(shown)]
        figure = Figure(figsize=(8, 4.2))
        first, strip, loss = figure.subplots(1, 3, sharey=True, width_ratios=(1, 5, 2.2))
        _draw_cells(first, cells, range(WIDE))
        _draw_cells(strip, cells, range(WIDE, cells.shape[1]))
        _write_shares(first, cells[:, 0] > 0, self.first[shown][layer])
        first.set(ylabel="step", xlabel="tokens 0-3", xticks=())
        strip.set(xlabel="token (blue: held, the darker the more attention; grey: evicted)")
        self._draw_losses(loss, f"sinks.1/{self.budget}")
        later = slice(self.budget // STEP, None)  # before that nothing is evicted
        ppl, full = (np.exp(np.mean(self.losses[choice][later])) for choice in (shown, self._full))
        figure.suptitle(
            f"{_title(shown)}: perplexity {ppl:.0f}, full cache {full:.0f}"
            f" (left: token 0's share of layer {self.layer}'s attention, %)"
        )
        return figure

    def _draw_losses(self, axis: Axes, other: str) -> None:
        full = self.losses[self._full]
        steps = np.arange(1, len(full) + 1)
        axis.barh(steps, np.subtract(self.losses[self.shown], full), color=ORANGE, height=0.6)
        axis.plot(np.subtract(self.losses[other], full), steps, ".", color=BLUE)
        axis.axvline(0, color=GREY, lw=0.8)
        axis.set(xlabel="nats above full cache")
        axis.set_title(f"bar: {_title(self.shown)}\n•  {_title(other)}", fontsize=9)


def _cells(numbers: Sequence[float], shape: tuple[int, ...]) -> NDArray[np.uint8]:
    data = np.frombuffer(from_numbers(numbers), np.uint8)
    if data.size != np.prod(shape):
        raise ValueError(f"{data.size} cells were recorded, and {shape} [layers, steps, tokens] were expected")
    return data.reshape(shape)


def _tokens(text: str, ends: Sequence[float], T: int) -> list[str]:
    if len(ends) != T or ends[-1] > len(text):
        raise ValueError(f"{len(ends)} tokens, the last up to {ends[-1]:.0f} of {len(text)} characters, for {T} cells")
    return [text[int(start) : int(end)] for start, end in pairwise([0, *ends])]


def _draw_cells(axis: Axes, cells: NDArray[np.uint8], tokens: range) -> None:
    """Some of the tokens in all steps: blue if held, the darker the more they drew; grey once evicted."""
    num_steps, T = cells.shape
    read = np.arange(T) < STEP * np.arange(1, num_steps + 1)[:, None]
    part = slice(tokens.start, tokens.stop)
    extent = (tokens.start, tokens.stop, num_steps + 0.5, 0.5)
    held = np.ma.masked_where(cells == 0, 0.25 + 0.75 * (cells & 15) / len(LEVELS))
    for picture, cmap in ((0.18 * read, "Greys"), (held, "Blues")):
        axis.imshow(picture[:, part], cmap, aspect="auto", vmin=0, vmax=1, interpolation="nearest", extent=extent)


def _write_shares(axis: Axes, held: NDArray[np.bool_], shares: Sequence[int]) -> None:
    for step, (here, share) in enumerate(zip(held, shares, strict=True), start=1):
        colour = "white" if here and share >= 100 * LEVELS[-2] else "black"
        axis.text(0.5, step, str(share) if here else "×", ha="center", va="center", size=7, color=colour)


def _title(choice: str) -> str:
    name, budget = choice.split("/")
    known = {"full": "full cache", "sinks.0": f"window {budget}", "sinks.1": f"1 sink + window {budget}"}
    if name.startswith("sinks."):
        return known.get(name, f"{name.removeprefix('sinks.')} sinks + window {budget}")
    return known.get(name, f"{name} {budget}")
