"""Things that stand about. Each stands on (0, 0)."""

from __future__ import annotations

from collections.abc import Sequence
from math import cos, radians, sin

from cartoon.ink import (
    BLUE,
    GREY,
    INK,
    ORANGE,
    PALE_BLUE,
    PALE_GREY,
    PALE_ORANGE,
    WHITE,
    Box,
    Thing,
    circle,
    letters,
    line,
    path,
    polygon,
    rect,
)
from cartoon.lettering import width

TINTS = {"white": WHITE, "blue": PALE_BLUE, "orange": PALE_ORANGE, "grey": PALE_GREY}


def sign(*, text: str, size: float = 24, post: float = 70) -> Thing:
    """A board with one line of text, on a post of that height."""
    half = width(text, size, wide=True, bold=True) / 2 + 12
    board = Box(-half, -post - size - 18, half, -post)
    svg = line((0, -post), (0, -1), width=6) + rect(board, WHITE, round_by=6)
    svg += letters(0, -post - 9 - size * 0.14, text, size, bold=True)
    return Thing(svg, Box(board.left - 2, board.top - 2, board.right + 2, 1), (0, board.top), (board,))


def shelf(*, columns: int = 5, gone: Sequence[int] = (), marked: Sequence[int] = ()) -> Thing:
    """The KV shelf, three boards high. ``gone`` and ``marked``: boxes that are missing, or of the other colour."""
    cell, rows = 34.0, 3
    half, tall = columns * cell / 2, rows * (cell + 8)
    svg = ""
    for i in range(rows * columns):
        left, top = -half + (i % columns) * cell, -tall + (i // columns) * (cell + 8)
        if i in gone:
            continue
        fill = PALE_ORANGE if i in marked else PALE_BLUE
        svg += rect(Box(left + 4, top + 10, left + cell - 4, top + cell + 4), fill, width=2)
        svg += letters(left + cell / 2, top + cell - 3, "KV", 15, bold=True)
    boards = [(-tall + i * (cell + 8)) for i in range(rows + 1)]
    svg += "".join(line((-half, y), (half, y), width=4) for y in boards)
    svg += line((-half, -tall), (-half, 0), width=4) + line((half, -tall), (half, 0), width=4)
    return Thing(svg, Box(-half - 3, -tall - 3, half + 3, 1), (0, -tall))


def crate(*, text: str = "KV", size: float = 24, wide: float = 0, tall: float = 60, fill: str = "blue") -> Thing:
    """A box with its label."""
    half = max(wide, width(text, size, wide=True, bold=True) + 24) / 2
    box = Box(-half, -tall, half, 0)
    svg = rect(box, TINTS[fill], round_by=3) + letters(0, -tall / 2 + size * 0.36, text, size, bold=True)
    words = Box(-half + 8, -tall / 2 - size / 2, half - 8, -tall / 2 + size / 2)
    return Thing(svg, Box(-half - 2, -tall - 2, half + 2, 1), (0, -tall), (words,))


def opened(*, tag: str, scores: list[int]) -> Thing:
    """A page taken out and opened: its label, and what the keys in it really score."""
    tall = 62.0 + 32 * len(scores)
    sheet, label = Box(-68, -tall, 68, 0), Box(-26, -tall + 10, 26, -tall + 42)
    svg = rect(sheet, WHITE, round_by=3) + rect(label, PALE_ORANGE, width=2)
    svg += letters(0, label.bottom - 8, tag, 22, bold=True)
    for i, score in enumerate(scores):
        svg += letters(0, label.bottom + 30 + 32 * i, f"q·k = {score}".replace("-", "−"), 21)
    return Thing(svg, Box(-70, -tall - 2, 70, 1), (0, -tall), (sheet,))


def scales(*, text: str) -> Thing:
    """Kitchen scales with the KV on them, and what they show."""
    half = width(text, 24, wide=True, bold=True) / 2 + 16
    window = Box(-half, -58, half, -12)
    svg = polygon((-half - 14, 0), (half + 14, 0), (half, -66), (-half, -66), fill=PALE_GREY)
    svg += rect(window, WHITE, width=2, round_by=4) + letters(0, -27, text, 24, bold=True)
    svg += line((0, -66), (0, -80), width=6) + line((-half, -80), (half, -80), width=7)
    svg += rect(Box(-30, -128, 30, -82), PALE_BLUE) + letters(0, -97, "KV", 22, bold=True)
    return Thing(svg, Box(-half - 16, -131, half + 16, 1), (0, -130), (window,))


def door(*, text: str, shut: bool = True, keypad: bool = False) -> Thing:
    """A door with a sign on it; ``keypad``: one that wants a code."""
    svg = rect(Box(-52, -176, 52, 0), PALE_GREY if shut else GREY)
    if shut:
        svg += rect(Box(-40, -164, 40, -2), PALE_ORANGE)
    else:
        svg += polygon((-50, -174), (-66, -160), (-66, -1), (-50, -1), fill=PALE_ORANGE)
    half = width(text, 20, wide=True, bold=True) / 2 + 8
    board = Box(-half, -152, half, -120)
    svg += rect(board, WHITE, width=2, round_by=4) + letters(0, -129, text, 20, bold=True)
    if keypad:
        svg += rect(Box(8, -96, 36, -56), WHITE, width=2)
        svg += "".join(circle(x, y, 2.5, INK, "none") for x in (15, 22, 29) for y in (-88, -80, -72, -64))
    elif shut:
        svg += circle(28, -76, 5, INK)
    reach = max(54 if shut else 68, half + 2)
    return Thing(svg, Box(-reach, -179, max(54, half + 2), 1), (0, -178), (board,))


def clock(*, hour: float = 4) -> Thing:
    """A clock on a post."""
    y = -124.0
    svg = line((0, -1), (0, -90), width=6) + circle(0, y, 34)
    for i in range(12):
        a = radians(30 * i)
        svg += line((27 * sin(a), y - 27 * cos(a)), (31 * sin(a), y - 31 * cos(a)), width=2)
    a = radians(30 * hour)
    svg += line((0, y), (16 * sin(a), y - 16 * cos(a)), width=4) + line((0, y), (0, y - 24), width=3)
    return Thing(svg, Box(-37, y - 37, 37, 1), (0, y - 36))


def chart(*, start: float, end: float, bad: bool = True, text: str = "") -> Thing:
    """A chart on a stand: a line from one share of its height to another; ``text`` at its end."""
    svg = line((-50, 0), (-30, -60), width=4) + line((50, 0), (30, -60), width=4)
    board = Box(-82, -172, 82, -52)
    svg += rect(board) + line((-70, -160), (-70, -64), (72, -64), width=2.5)
    a, b = (-64 - 84 * share for share in (start, end))
    colour = ORANGE if bad else BLUE
    svg += path(f"M-66 {a:.1f}L-10 {a - 3:.1f}L0 {(a + b) / 2:.1f}L10 {b + 3:.1f}L66 {b:.1f}", stroke=colour, width=5)
    words: tuple[Box, ...] = ()
    if text:
        half = width(text, 22, wide=True, bold=True) / 2
        y = b + 30 if b < -112 else b - 12
        svg += letters(70 - half, y, text, 22, fill=colour, bold=True)
        words = (Box(70 - 2 * half, y - 20, 70, y + 5),)
    return Thing(svg, Box(-85, -175, 85, 1), (0, -174), words)


def waste_bin(*, text: str = "KV", fill: str = "orange") -> Thing:
    """A waste bin, and the label of the box that sticks out of it."""
    box = Box(-24, -98, 24, -66)
    svg = rect(Box(-24, -98, 24, -56), TINTS[fill], width=2) + letters(0, -75, text, 18, bold=True)
    svg += polygon((-34, -66), (34, -66), (26, 0), (-26, 0), fill=PALE_GREY)
    svg += "".join(line((x, -56), (x * 0.8, -10), stroke=GREY, width=2) for x in (-18, 0, 18))
    return Thing(svg, Box(-37, -100, 37, 1), (0, -98), (box,))


def desk(*, text: str = "") -> Thing:
    """A table, and the paper on it."""
    half = 42.0
    svg = line((-half + 8, -48), (-half + 8, -1), width=5) + line((half - 8, -48), (half - 8, -1), width=5)
    svg += rect(Box(-half, -56, half, -46), PALE_GREY)
    words: tuple[Box, ...] = ()
    if text:
        size = width(text, 17, wide=True, bold=True) / 2 + 6
        words = (Box(-size, -82, size, -56),)
        svg += rect(words[0], WHITE, width=2) + letters(0, -63, text, 17, bold=True)
    return Thing(svg, Box(-half - 2, -84 if text else -58, half + 2, 1), (0, -84), words)


def pages(*, labels: list[str], open_at: int = -1) -> Thing:
    """A row of page binders, each with a label on its spine; ``open_at``: the one pulled out."""
    cell, tall = 46.0, 120.0
    half = len(labels) * cell / 2
    svg, words = line((-half - 8, -2), (half + 8, -2), width=5), []
    for i, label in enumerate(labels):
        left, lift = -half + i * cell, 26 if i == open_at else 4
        box = Box(left + 2, -tall - lift, left + cell - 2, -lift)
        fill = PALE_ORANGE if i == open_at else PALE_BLUE if i % 2 else WHITE
        tag = Box(left + 7, -tall - lift + 16, left + cell - 7, -tall - lift + 44)
        svg += rect(box, fill, round_by=3) + rect(tag, WHITE, width=2)
        svg += letters(left + cell / 2, tag.bottom - 8, label, 18, bold=True) + circle(
            left + cell / 2, -lift - 22, 6, WHITE, width=2
        )
        words.append(tag)
    top = -tall - (26 if open_at >= 0 else 4)
    return Thing(svg, Box(-half - 10, top - 2, half + 10, 1), (0, top), tuple(words))


def haystack(*, tall: float = 120) -> Thing:
    """Hay, and the needle in it."""
    svg = path(f"M-96 0Q-84 {-tall:.0f} 0 {-tall:.0f}Q84 {-tall:.0f} 96 0z", PALE_ORANGE)
    for i in range(22):
        x, y = -70 + (i * 37) % 142, -10 - (i * 53) % int(tall * 0.7)
        if abs(x) < 92 + y * 0.5:
            svg += line((x, y), (x + (14 if i % 2 else -12), y - 10), stroke=ORANGE, width=2)
    svg += line((-14, -30), (34, -66), stroke=BLUE, width=5) + circle(38, -69, 5, WHITE, BLUE)
    return Thing(svg, Box(-98, -tall - 2, 98, 1), (0, -tall))


def bare_ground() -> Thing:
    """Where the hay was: a rake, and a few stalks."""
    svg = line((40, -1), (70, -120), width=5) + line((18, -1), (62, -1), width=5)
    svg += "".join(line((x, -3), (x + 16, -9), stroke=ORANGE, width=2) for x in (-80, -52, -30, -8, 84))
    return Thing(svg, Box(-84, -123, 104, 1), (0, -60))
