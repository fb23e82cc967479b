"""The pen: a few SVG shapes in the comics' colours, and boxes to know where things are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from xml.sax.saxutils import escape

INK, PAPER, WHITE = "#26241f", "#f6f0e2", "#fffdf8"
BLUE, ORANGE, GREY = "#1f6fb4", "#d9660a", "#8a8a8a"  # as in mini_llm/show/plots.py
PALE_BLUE, PALE_ORANGE, PALE_GREY = "#cfe2f3", "#fad9bd", "#e3dfd6"

Point = tuple[float, float]


@dataclass(frozen=True)
class Box:
    """A rectangle; y grows downwards."""

    left: float
    top: float
    right: float
    bottom: float

    def moved(self, dx: float, dy: float) -> Box:
        """The same box elsewhere."""
        return Box(self.left + dx, self.top + dy, self.right + dx, self.bottom + dy)

    def meets(self, other: Box) -> bool:
        """Whether the two share any area."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom

    def holds(self, other: Box) -> bool:
        """Whether the other lies wholly inside."""
        across = self.left <= other.left and other.right <= self.right
        return across and self.top <= other.top and other.bottom <= self.bottom


@dataclass(frozen=True)
class Thing:
    """Something drawn: its SVG around its own (0, 0), where it stands on the ground, and the room it takes."""

    svg: str
    box: Box
    mouth: Point = (0, 0)  # what a bubble's tail points at
    words: tuple[Box, ...] = ()  # lettering that nothing drawn later may cover

    def at(self, x: float, y: float) -> Thing:
        """The same thing with its (0, 0) at (x, y)."""
        return replace(
            self,
            svg=f'<g transform="translate({num(x)},{num(y)})">{self.svg}</g>',
            box=self.box.moved(x, y),
            mouth=(self.mouth[0] + x, self.mouth[1] + y),
            words=tuple(box.moved(x, y) for box in self.words),
        )


def num(value: float) -> str:
    """A coordinate, to a tenth."""
    return f"{round(value, 1) + 0.0:.1f}".removesuffix(".0")


def _style(fill: str, stroke: str, width: float) -> str:
    """Attributes that differ from the strip's own: no fill, and ink 3 wide."""
    return (
        (f' fill="{fill}"' if fill != "none" else "")
        + (f' stroke="{stroke}"' if stroke != INK else "")
        + (f' stroke-width="{num(width)}"' if width != 3 else "")
    )


def path(d: str, fill: str = "none", stroke: str = INK, width: float = 3) -> str:
    """A path, given as SVG has it."""
    return f'<path d="{d}"{_style(fill, stroke, width)}/>'


def line(*points: Point, stroke: str = INK, width: float = 3) -> str:
    """A line through the points."""
    return path("M" + "L".join(f"{num(x)} {num(y)}" for x, y in points), stroke=stroke, width=width)


def polygon(*points: Point, fill: str = WHITE, stroke: str = INK, width: float = 3) -> str:
    """A closed shape with straight sides."""
    return path("M" + "L".join(f"{num(x)} {num(y)}" for x, y in points) + "Z", fill, stroke, width)


def circle(x: float, y: float, r: float, fill: str = WHITE, stroke: str = INK, width: float = 3) -> str:
    """A circle."""
    return f'<circle cx="{num(x)}" cy="{num(y)}" r="{num(r)}"{_style(fill, stroke, width)}/>'


def rect(box: Box, fill: str = WHITE, stroke: str = INK, width: float = 3, round_by: float = 0) -> str:
    """A rectangle, its corners rounded."""
    size = f'width="{num(box.right - box.left)}" height="{num(box.bottom - box.top)}"'
    corner = f' rx="{num(round_by)}"' if round_by else ""
    return f'<rect x="{num(box.left)}" y="{num(box.top)}" {size}{corner}{_style(fill, stroke, width)}/>'


def letters(x: float, y: float, text: str, size: float = 24, fill: str = INK, bold: bool = False) -> str:
    """One line of text, centred on x, its baseline at y."""
    weight = ' font-weight="bold"' if bold else ""
    place = f'x="{num(x)}" y="{num(y)}" font-size="{num(size)}"'
    return f'<text {place} stroke="none" fill="{fill}"{weight}>{escape(text)}</text>'
