"""What the model expected at each position of a text: its five best guesses, and the token that really came."""

from __future__ import annotations

from collections.abc import Callable

import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from .plots import BLUE, ORANGE
from .widget import CourseWidget

GUESSES = 5
BEFORE = 60  # characters of the text before a token that the figure's title has room for


class NextToken(CourseWidget):
    """``NextToken(ids, probabilities, decode, token)``: for each token from 1 on, what the model expected instead.

    ids ``[T]``; probabilities ``[T, vocab]``, 0..1, row t for token t + 1; decode: an id's text; token: the position
    in 1..T - 1 that is shown first. Raises ValueError on another position, or rows that do not fit the ids.
    """

    script = "next_token.js"
    tokens = traitlets.List().tag(sync=True)  # [T] texts
    best = traitlets.List().tag(sync=True)  # of tokens 1 to T - 1, five of [text, per cent, whether it came]
    came = traitlets.List().tag(sync=True)  # of tokens 1 to T - 1: [per cent, rank], rank 1 if none is likelier
    token = traitlets.Int().tag(sync=True)

    def __init__(self, ids: Tensor, probabilities: Tensor, decode: Callable[[int], str], token: int) -> None:
        numbers = ids.tolist()
        if len(probabilities) != len(numbers):
            raise ValueError(f"{len(probabilities)} rows of probabilities for {len(numbers)} ids")
        if not 0 < token < len(numbers):
            raise ValueError(f"token={token}: of {len(numbers)} tokens, 1 to {len(numbers) - 1} are predicted")
        rows = list(zip(probabilities, numbers[1:], strict=False))
        best = [
            [[decode(one), _percent(row[one]), one == after] for one in row.topk(GUESSES).indices.tolist()]
            for row, after in rows
        ]
        came = [[_percent(row[after]), 1 + int((row > row[after]).sum())] for row, after in rows]
        super().__init__(tokens=[decode(one) for one in numbers], best=best, came=came, token=token)

    def figure(self) -> Figure:
        best, (share, rank) = self.best[self.token - 1], self.came[self.token - 1]
        whole = "".join(self.tokens[: self.token])
        read = whole if len(whole) <= BEFORE else f"...{whole[-BEFORE:]}"
        figure = Figure(figsize=(8, 3.6))
        axis = figure.subplots()
        colours = [ORANGE if right else BLUE for *_, right in best]
        drawn = axis.barh(range(GUESSES), [percent for _, percent, _ in best], color=colours, height=0.6)
        axis.bar_label(drawn, [f" {_told(percent)}" for _, percent, _ in best])
        names = [f"✓ {name!r}" if right else repr(name) for name, _, right in best]
        axis.set_yticks(range(GUESSES), names, parse_math=False)
        axis.invert_yaxis()
        axis.set(xlim=(0, 112), xlabel="probability, %")
        told = f"{read}  →  {self.tokens[self.token]!r} comes next: {_told(share)}, rank {rank:,}"
        axis.set_title(told.replace("\n", "↵"), parse_math=False)
        return figure


def _percent(share: Tensor) -> float:
    return round(100 * share.item(), 1)


def _told(percent: float) -> str:
    return "< 0.1 %" if percent < 0.1 else f"{percent:.1f} %"
