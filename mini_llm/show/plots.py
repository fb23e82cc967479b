"""Figures: one look for all, and what the chapters and widgets draw with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib import rc_params_from_file
from matplotlib.axes import Axes
from matplotlib.figure import Figure

STYLE = rc_params_from_file(Path(__file__).with_name("course.mplstyle"), use_default_template=False)
BLUE, ORANGE, GREY = STYLE["axes.prop_cycle"].by_key()["color"]


def use_course_style() -> None:
    """Set matplotlib's defaults for the rest of the notebook: ``course.mplstyle``."""
    plt.rcParams.update(STYLE)


def course_style() -> AbstractContextManager[None]:
    """The same for one block, for a figure that must not depend on what a notebook has set."""
    return plt.rc_context(STYLE)


def bars(values: Mapping[str, float], title: str, digits: int = 2) -> None:
    """Horizontal bars, each with its value."""
    figure = Figure(figsize=(8, 0.55 * len(values) + 0.9))
    axis = figure.subplots()
    drawn = axis.barh(list(values), list(values.values()), color=BLUE, height=0.6)
    axis.bar_label(drawn, fmt=f" %.{digits}f")
    axis.invert_yaxis()
    axis.set_xlim(0, 1.12 * max(values.values()))
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


def label_of(token: str) -> str:
    """A token as a label: without the space before a word, and what is only white space made visible."""
    return token.strip() or token.replace("\n", "↵").replace(" ", "␣")
