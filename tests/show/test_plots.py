"""The one figure style: what it promises, and that labels keep apart."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import matplotlib.pyplot as plt
import pytest
from matplotlib import font_manager
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from mini_llm.show import plots

SMALLEST = 8  # points, at 8 inches across
SIZES = ("font.size", "axes.titlesize", "axes.labelsize", "xtick.labelsize", "ytick.labelsize", "legend.fontsize")


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    with plt.rc_context():
        yield


def test_the_style_file_is_used_in_full() -> None:
    plt.rcdefaults()
    plots.use_course_style()
    assert {key: plt.rcParams[key] for key in plots.STYLE} == dict(plots.STYLE)
    assert plt.rcParams["figure.figsize"] == [8, 3.4]
    assert plt.rcParams["axes.prop_cycle"].by_key()["color"] == [plots.BLUE, plots.ORANGE, plots.GREY]


def test_text_is_legible_at_the_notebooks_width() -> None:
    plots.use_course_style()
    figure, axis = plt.subplots()
    axis.plot([0, 1], label="one")
    axis.set(xlabel="x", ylabel="y", title="title")
    axis.legend()
    figure.canvas.draw()
    texts = [text for text in figure.findobj(plt.Text) if text.get_text()]
    assert min(text.get_fontsize() for text in texts) >= SMALLEST
    assert {font_manager.FontProperties(size=plt.rcParams[key]).get_size_in_points() for key in SIZES} >= {9, 10, 11}
    plt.close(figure)


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in to_rgb(colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True))


def test_names_in_the_colour_of_their_line_can_be_read_on_white() -> None:
    for colour in (plots.BLUE, plots.ORANGE, plots.GREY):
        assert 1.05 / (luminance(colour) + 0.05) >= 4.5


def test_a_block_in_the_style_leaves_no_trace() -> None:
    plt.rcdefaults()
    with plots.course_style():
        assert not plt.rcParams["axes.spines.top"]
    assert plt.rcParams["axes.spines.top"]


def test_figures_are_white_cards_whatever_the_page() -> None:
    plots.use_course_style()
    figure, drawn = Figure(), BytesIO()
    figure.subplots().plot([0, 1])
    figure.savefig(drawn, format="png", bbox_inches="tight")
    drawn.seek(0)
    picture = plt.imread(drawn)
    edges = [picture[0], picture[-1], picture[:, 0], picture[:, -1]]
    assert all((edge == 1).all() for edge in edges)


def test_names_of_lines_that_end_together_move_apart() -> None:
    plots.use_course_style()
    figure, axis = plt.subplots()
    for end in (1.0, 1.001, 1.002, 3.0):
        axis.plot([0, 1], [0, end])
    plots.label_lines(axis, ["a", "b", "c", "d"])
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in axis.texts]
    assert [text.get_text() for text in axis.texts] == ["a", "b", "c", "d"]
    assert not any(one.overlaps(other) for at, one in enumerate(boxes) for other in boxes[at + 1 :])
    assert all(figure.bbox.contains(box.x0, box.y0) and figure.bbox.contains(box.x1, box.y1) for box in boxes)
    plt.close(figure)
