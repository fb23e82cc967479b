"""Item analysis as a picture."""

from collections.abc import Sequence
from pathlib import Path

from practice.grader.rows import Item

ROW_INCHES = 0.45


def plot_items(items: Sequence[Item], path: Path) -> None:
    """A bar for each exercise, the share of the class that passed, with the commonest misconception beside it.

    Writes a PNG.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.2 + ROW_INCHES * len(items)), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots()
    shares = [100 * item.passed / item.students for item in items]
    axes.barh([item.exercise for item in items], shares, color="#4878a8")
    for place, (item, share) in enumerate(zip(items, shares, strict=True)):
        told = f"{share:.0f} %  {item.median_seconds:.2f} s"
        if item.misconception:
            told += f"  {item.misconception.id} ({item.showing})"
        axes.text(share + 1, place, told, va="center", fontsize=9)
    axes.invert_yaxis()
    axes.set_xlim(0, 160)
    axes.set_xticks(range(0, 101, 20))
    axes.set_xlabel("passed, % of the class;  median time;  commonest misconception (answers that show it)")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=120, format="png")
