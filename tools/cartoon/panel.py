"""One panel: things on the ground, bubbles over them, a caption below; and nothing over anything else."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cartoon import cast, people, props
from cartoon.ink import INK, PALE_GREY, WHITE, Box, Point, Thing, letters, line, path, rect
from cartoon.lettering import LEADING, width, wrap

WIDTH, HEIGHT = 480.0, 384.0
CAPTION = 76.0
GROUND = HEIGHT - CAPTION - 12
SIZE = 24.0
_PAD = 12.0
_EDGE = 8.0

_MAKERS: tuple[Callable[..., Thing], ...] = (
    *(people.engineer, people.clerk, people.landlord, people.judge),
    *(cast.token, cast.token0, cast.empty_chair, cast.request, cast.gpu, cast.model, cast.handbook),
    *(
        props.sign,
        props.shelf,
        props.crate,
        props.scales,
        props.door,
        props.clock,
        props.chart,
        props.waste_bin,
        props.desk,
    ),
    *(props.pages, props.opened, props.haystack, props.bare_ground),
)
DRAWN = {made.__name__: made for made in _MAKERS}
"""Every thing that a panel may ask for, by name; its options are the function's."""

Spec = Mapping[str, Any]


@dataclass(frozen=True)
class Bubble:
    """What somebody says: the lines, the box around them, and the mouth that it comes from."""

    lines: list[str]
    box: Box
    mouth: Point


@dataclass(frozen=True)
class Panel:
    """A panel laid out in one language; all coordinates are its own, 480 by 384."""

    things: list[Thing]
    bubbles: list[Bubble]
    caption: list[str]

    def svg(self) -> str:
        """The drawing."""
        floor = HEIGHT - CAPTION
        parts = [rect(Box(0, 0, WIDTH, HEIGHT), WHITE, round_by=6)]
        parts.append(path(f"M1.5 {floor}h477v70q0 4-4 4h-469q-4 0-4-4z", PALE_GREY, "none"))
        parts += [line((0, floor), (WIDTH, floor)), line((10, GROUND), (WIDTH - 10, GROUND), width=1.5)]
        parts += [thing.svg for thing in self.things]
        parts += [_drawn(bubble) for bubble in self.bubbles]
        top = floor + (CAPTION - len(self.caption) * SIZE * LEADING) / 2
        parts += _lines(self.caption, WIDTH / 2, top)
        return "".join(parts)

    def collisions(self) -> list[str]:
        """What overlaps though it must not, in words."""
        room, found = Box(3, 3, WIDTH - 3, HEIGHT - CAPTION), []
        if len(self.caption) > 2:
            found.append(f"the caption takes {len(self.caption)} lines: {' / '.join(self.caption)}")
        for i, bubble in enumerate(self.bubbles):
            said = "".join(bubble.lines)[:20]
            if not room.holds(bubble.box):
                found.append(f"{said!r} leaves the panel: {bubble.box}")
            found += [
                f"{said!r} is over thing {j}" for j, thing in enumerate(self.things) if bubble.box.meets(thing.box)
            ]
            found += [
                f"{said!r} is over bubble {i + 1 + j}"
                for j, b in enumerate(self.bubbles[i + 1 :])
                if bubble.box.meets(b.box)
            ]
            found += [f"the tail of {said!r} crosses bubble {j}" for j in self._crossed(i)]
        for i, thing in enumerate(self.things):
            if not Box(0, 0, WIDTH, GROUND + 2).holds(thing.box):
                found.append(f"thing {i} leaves the panel: {thing.box}")
            for later in self.things[i + 1 :]:
                found += [f"the lettering of thing {i} is covered" for word in thing.words if word.meets(later.box)]
        return found

    def _crossed(self, i: int) -> list[int]:
        """The other bubbles that a bubble's tail runs through."""
        (x0, y0), (x1, y1) = _root(self.bubbles[i]), self.bubbles[i].mouth
        dots = [Box(x0 + (x1 - x0) * k / 20, y0 + (y1 - y0) * k / 20, 0, 0) for k in range(21)]
        others = [(j, bubble.box) for j, bubble in enumerate(self.bubbles) if j != i]
        return [j for j, box in others if any(box.meets(Box(d.left, d.top, d.left + 1, d.top + 1)) for d in dots)]


def lay_out(spec: Spec, language: str) -> Panel:
    """The panel that ``spec`` describes (a table of the comic's file), in one language.

    Raises ValueError for a thing, pose or mood that nobody has drawn, and TypeError for an option that it has not.
    """
    wide = language == "zh"
    things = [_thing(entry, language) for entry in spec["things"]]
    bubbles = [_bubble(entry, things[speaker(spec, entry["who"])].mouth, language) for entry in spec["says"]]
    return Panel(things, bubbles, wrap(spec["caption"][language], SIZE, WIDTH - 2 * _PAD, wide=wide))


def speaker(spec: Spec, who: str) -> int:
    """Which thing of a panel speaks: the one with that id, or the first one drawn under that name."""
    for index, thing in enumerate(spec["things"]):
        if thing.get("id", thing["draw"]) == who:
            return index
    raise ValueError(f"{who!r} speaks and is not there")


def _thing(entry: Spec, language: str) -> Thing:
    options = {key: _in(value, language) for key, value in entry.items() if key not in ("draw", "id", "x", "y")}
    if entry["draw"] not in DRAWN:
        raise ValueError(f"nobody has drawn {entry['draw']!r}; there are {', '.join(DRAWN)}")
    made: Thing = DRAWN[entry["draw"]](**options)
    return made.at(entry["x"], GROUND - entry.get("y", 0))


def _in(value: object, language: str) -> object:
    """A text in one language, where it has two."""
    return value[language] if isinstance(value, Mapping) else value


def _bubble(entry: Spec, mouth: Point, language: str) -> Bubble:
    wide = language == "zh"
    lines = wrap(entry[language], SIZE, entry.get("width", WIDTH - 2 * _EDGE) - 2 * _PAD, wide=wide)
    half = max(width(text, SIZE, wide=wide) for text in lines) / 2 + _PAD
    x = min(max(entry.get("x", mouth[0]), half + _EDGE), WIDTH - half - _EDGE)
    top = _EDGE + entry.get("y", 0)
    return Bubble(lines, Box(x - half, top, x + half, top + len(lines) * SIZE * LEADING + _PAD), mouth)


def _root(bubble: Bubble) -> Point:
    """Where a bubble's tail leaves it."""
    box = bubble.box
    return min(max(bubble.mouth[0], box.left + 26), box.right - 26), box.bottom


def _drawn(bubble: Bubble) -> str:
    box, (x, y) = bubble.box, _root(bubble)
    dx, dy = bubble.mouth[0] - x, bubble.mouth[1] - y
    tip = (x + dx * max(0.0, 1 - 8 / max(dy, 8)), y + max(dy - 8, 8))
    tail = path(f"M{x - 9:.1f} {y - 1:.1f}L{tip[0]:.1f} {tip[1]:.1f}L{x + 9:.1f} {y - 1:.1f}", WHITE, width=2.5)
    body = rect(box, WHITE, width=2.5, round_by=14)
    seam = line((x - 7, y), (x + 7, y), stroke=WHITE, width=4)
    return body + tail + seam + "".join(_lines(bubble.lines, (box.left + box.right) / 2, box.top + _PAD / 2))


def _lines(lines: Sequence[str], x: float, top: float) -> list[str]:
    """Lines of text under one another, the first from ``top``."""
    return [letters(x, top + SIZE * (0.98 + LEADING * i), text, SIZE, INK) for i, text in enumerate(lines)]
