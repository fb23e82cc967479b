"""Figures: one look for all, and the few drawings that more than one cell needs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

BLUE, ORANGE, GREY = "#1f6fb4", "#d9660a", "#8a8a8a"


def use_course_style() -> None:
    """Set matplotlib's defaults for the rest of the notebook."""
    plt.rcParams.update(
        {
            "figure.figsize": (8, 3.4),
            "figure.dpi": 110,
            "figure.constrained_layout.use": True,
            "figure.facecolor": "white",
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.titlelocation": "left",
            "axes.titlesize": 11,
            "axes.prop_cycle": plt.cycler(color=[BLUE, ORANGE, GREY]),
            "legend.frameon": False,
            "font.size": 10,
        }
    )


def bars(values: Mapping[str, float], title: str, digits: int = 2, limit: float = 0.0) -> None:
    """Horizontal bars, each with its value; the axis reaches ``limit`` at least, so that redrawn figures compare."""
    figure = Figure(figsize=(8, 0.55 * len(values) + 0.9))  # not pyplot's: sliders may redraw from another thread
    axis = figure.subplots()
    drawn = axis.barh(list(values), list(values.values()), color=BLUE, height=0.6)
    axis.bar_label(drawn, fmt=f" %.{digits}f")
    axis.invert_yaxis()
    axis.set_xlim(0, max(limit, 1.12 * max(values.values())))
    axis.set_title(title)
    display(figure)


def label_lines(axis: Axes, names: Sequence[str]) -> None:
    """Write each line's name behind its last point, in the line's colour; names that would collide move apart."""
    axis.figure.canvas.draw()
    points_per_pixel = 72 / axis.figure.dpi
    ends = []
    for line, name in zip(axis.get_lines(), names, strict=True):
        end = (np.asarray(line.get_xdata())[-1], np.asarray(line.get_ydata())[-1])
        ends.append((axis.transData.transform(end)[1] * points_per_pixel, end, name, line.get_color()))
    lowest = -np.inf
    for height, end, name, colour in sorted(ends, key=lambda item: item[0]):
        lowest = max(height, lowest + 1.2 * plt.rcParams["font.size"])
        offset = (5, lowest - height)
        axis.annotate(name, end, offset, textcoords="offset points", color=colour, va="center", annotation_clip=False)


def kept_strip(kept: Sequence[Sequence[int]], read: Sequence[int], title: str) -> None:
    """Who is in the cache: a row a step from the top, a column a token; dark = held, light = evicted, white = to come.

    read: how many tokens had been read after each step.
    """
    picture = np.zeros((len(kept), read[-1]))
    for step, held in enumerate(kept):
        picture[step, : read[step]] = 0.25
        picture[step, list(held)] = 1.0
    figure = Figure(figsize=(8, 2.8))
    axis = figure.subplots()
    axis.imshow(picture, aspect="auto", cmap="Blues", vmin=0, vmax=1, interpolation="nearest")
    axis.spines["left"].set_visible(False)
    axis.set(xlabel="token", ylabel="step", title=title)
    display(figure)
