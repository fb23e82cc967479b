"""The rest of the cast: tokens, the card, the model and the handbook."""

from __future__ import annotations

from cartoon.faces import face
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


def token(*, label: str = "", mood: str = "calm", fill: str = "blue", look: str = "ahead") -> Thing:
    """An ordinary token, 64 across: its face, and its word or number below it."""
    aside = {"ahead": 0, "left": -9, "right": 9}[look]
    tint = {"blue": PALE_BLUE, "orange": PALE_ORANGE, "white": WHITE}[fill]
    svg = line((-10, -18), (-10, -2), (-3, -2)) + line((10, -18), (10, -2), (17, -2))
    svg += circle(0, -48, 32, tint) + face(aside, -57 if label else -48, mood)
    if label:
        size = min(30, 19 * 46 / width(label, 19, wide=False, bold=True))
        svg += letters(0, -25, label, size, bold=True)
    return Thing(svg, Box(-34, -82, 34, 1), mouth=(0, -82))


def token0(*, mood: str = "calm", seat: bool = True, box: bool = False) -> Thing:
    """Token 0: heavy, round, orange, and on his chair as long as he has one. ``box``: his things under his arm."""
    y = -104 if seat else -74
    svg = (
        _chair()
        if seat
        else line((-18, -24), (-18, -2), (-8, -2), width=5) + line((18, -24), (18, -2), (28, -2), width=5)
    )
    if seat:
        svg += line((-16, -50), (-30, -22), (-20, -22), width=5) + line((16, -50), (30, -22), (40, -22), width=5)
    svg += circle(0, y, 54, ORANGE) + circle(0, y + 14, 30, PALE_ORANGE, "none") + face(0, y - 22, mood, 1.2)
    svg += letters(0, y + 27, "0", 36, bold=True)
    right = 58.0
    if box:
        svg += rect(Box(40, y - 6, 92, y + 32), PALE_GREY) + path(f"M52 {y - 6}q4-20 10-2M70 {y - 6}l4-18l8 18")
        svg += line((46, y + 18), (64, y + 18), width=6)
        right = 95
    return Thing(svg, Box(-58, y - 57, right, 1), mouth=(0, y - 56))


def _chair() -> str:
    back = path("M-52-52v-70", width=6) + line((-52, -50), (50, -50), width=7)
    return back + line((-48, -50), (-48, -2), width=6) + line((46, -50), (46, -2), width=6)


def empty_chair() -> Thing:
    """The chair of token 0, without him."""
    return Thing(_chair(), Box(-56, -124, 54, 1), mouth=(0, -124))


def gpu(*, mood: str = "calm", label: str = "GPU") -> Thing:
    """The card: two fans, and a face between them."""
    svg = line((-50, -30), (-50, -2), (-42, -2), width=5) + line((50, -30), (50, -2), (58, -2), width=5)
    svg += rect(Box(-92, -122, 92, -28), PALE_GREY, round_by=10)
    svg += "".join(line((x, -27), (x, -18), stroke=ORANGE, width=5) for x in range(-24, 28, 8))
    for x in (-62, 62):
        svg += circle(x, -82, 25, WHITE) + path(
            f"M{x} -82m-20 0q10-14 20 0q10 14 20 0M{x} -102q14 10 0 20q-14 10 0 20", width=2
        )
        svg += circle(x, -82, 4, INK, "none")
    svg += face(0, -84, mood, 1.2) + letters(0, -38, label, 17, fill=BLUE, bold=True)
    return Thing(svg, Box(-95, -125, 95, 1), mouth=(0, -124))


def model(*, mood: str = "calm") -> Thing:
    """The model: a stack of layers, and a face on it."""
    svg = line((-26, -20), (-26, -2), (-18, -2), width=5) + line((26, -20), (26, -2), (34, -2), width=5)
    for i in range(6):
        top = -146 + 22 * i
        svg += rect(Box(-56, top, 56, top + 18), PALE_BLUE if i % 2 else WHITE, round_by=5)
    svg += circle(0, -96, 32, WHITE) + face(0, -97, mood, 1.3)
    return Thing(svg, Box(-60, -149, 60, 1), mouth=(0, -148))


def request(*, sheets: int = 3, label: str = "", mood: str = "calm") -> Thing:
    """A request: a pile of paper, as high as its context is long."""
    tall = 20.0 * sheets + 26
    svg = line((-14, -18), (-14, -2), (-6, -2), width=5) + line((14, -18), (14, -2), (22, -2), width=5)
    for i in range(sheets):
        lean = 4 * (i % 3) - 4
        svg += rect(Box(-32 + lean, -38 - 20 * i, 32 + lean, -18 - 20 * i), WHITE if i % 2 else PALE_GREY, width=2.5)
    svg += letters(0, -22, label, 16, bold=True) + rect(Box(-29, -tall - 16, 29, -tall + 22), WHITE, round_by=8)
    return Thing(svg + face(0, -tall + 4, mood, 0.9), Box(-38, -tall - 18, 38, 1), mouth=(0, -tall - 18))


def handbook(*, mood: str = "calm") -> Thing:
    """The handbook that the course started from: a thick book, and sure of itself."""
    svg = line((-22, -20), (-22, -2), (-14, -2), width=5) + line((22, -20), (22, -2), (30, -2), width=5)
    svg += polygon((-46, -146), (52, -146), (60, -138), (60, -20), (-46, -20), fill=WHITE)
    svg += "".join(line((55, y), (55, y + 10), stroke=GREY, width=2) for y in range(-132, -30, 18))
    svg += rect(Box(-50, -142, 48, -16), BLUE, round_by=4) + rect(Box(-36, -126, 34, -52), WHITE, width=2, round_by=4)
    return Thing(svg + face(0, -88, mood, 1.3), Box(-54, -149, 64, 1), mouth=(0, -148))
