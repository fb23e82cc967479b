"""The RoPE clock: every pair of dimensions is a hand, and training saw only a part of some dials."""

from __future__ import annotations

import math

import torch
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mini_llm.config import ModelConfig
from mini_llm.rope import rope_frequencies

from .plots import BLUE, GREY, ORANGE
from .widget import CourseWidget

DIALS = 8  # spread over the pairs from the fastest to the slowest
REACH = 4  # the slider ends at so many trained lengths


class RopeClock(CourseWidget):
    """``RopeClock(model.cfg)``: a query at ``position``, a key ``distance`` tokens before it (at token 0 where the
    query is nearer to the start), both int in tokens, 0 to ``REACH`` trained lengths.

    A dial's ring is dark where some position below the trained length stood; a hand outside it carries a diamond.
    Raises ValueError on a config whose RoPE is scaled, as the ring would then depend on how it was trained.
    """

    script = "rope_clock.js"
    frequencies = traitlets.List(traitlets.Float()).tag(sync=True)  # radians a token, of every pair
    dials = traitlets.List(traitlets.Int()).tag(sync=True)  # the pairs that are drawn
    trained = traitlets.Int().tag(sync=True)
    reach = traitlets.Int().tag(sync=True)
    position = traitlets.Int().tag(sync=True)
    distance = traitlets.Int().tag(sync=True)
    stride = traitlets.Unicode("1").tag(sync=True)  # tokens that one step of the player takes

    def __init__(self, cfg: ModelConfig) -> None:
        if cfg.rope_scaling.rope_type != "default":
            raise ValueError(f"the clock shows unscaled RoPE, but rope_type is {cfg.rope_scaling.rope_type!r}")
        frequencies, _ = rope_frequencies(cfg.head_dim, cfg.rope_theta)
        trained = cfg.max_position_embeddings
        super().__init__(
            frequencies=frequencies.tolist(),
            dials=torch.linspace(0, len(frequencies) - 1, DIALS).round().int().tolist(),
            trained=trained,
            reach=REACH * trained,
            position=trained + trained // 2,
            distance=100,
        )

    @traitlets.validate("position", "distance")  # type: ignore[untyped-decorator]
    def _within_reach(self, proposal: traitlets.Bunch) -> int:
        if not 0 <= proposal.value <= self.reach:
            raise ValueError(f"{proposal.trait.name}={proposal.value} is not within 0..{self.reach}")
        return int(proposal.value)

    def figure(self) -> Figure:
        figure = Figure(figsize=(8, 3.6))
        key = max(0, self.position - self.distance)
        for axis, pair in zip(figure.subplots(2, len(self.dials) // 2).flat, self.dials, strict=True):
            self._dial(axis, pair, key)
        slow = sum(2 * math.pi / frequency > self.trained for frequency in self.frequencies)
        figure.suptitle(
            f"Query at {self.position:,} (solid), key at {key:,} (dotted); dark ring: seen in {self.trained:,} trained "
            f"positions.\n{slow} of {len(self.frequencies)} pairs never came round; a diamond: an angle never seen",
            fontsize=10,
        )
        return figure

    def _dial(self, axis: Axes, pair: int, key: int) -> None:
        frequency = self.frequencies[pair]
        seen = min(2 * math.pi, (self.trained - 1) * frequency)
        for end, colour, width in ((2 * math.pi, "#dddddd", 1.5), (seen, BLUE, 4)):
            around = torch.linspace(0, end, 200)
            axis.plot(around.cos(), around.sin(), color=colour, lw=width, solid_capstyle="butt")
        for place, line, colour in ((key, ":", GREY), (self.position, "-", BLUE)):
            angle = place * frequency % (2 * math.pi)
            known = angle <= seen
            tip = [0, 0.8 * math.cos(angle)], [0, 0.8 * math.sin(angle)]
            sign = "o" if known else "D"
            axis.plot(*tip, color=colour if known else ORANGE, ls=line, marker=sign, ms=5, markevery=[1])
        axis.set(aspect="equal", xlim=(-1.15, 1.15), ylim=(-1.15, 1.15))
        axis.set_title(f"pair {pair}", loc="center", fontsize=9)
        axis.text(0, -1.45, f"{2 * math.pi / frequency:,.0f} tokens", ha="center", fontsize=9)
        axis.axis("off")
