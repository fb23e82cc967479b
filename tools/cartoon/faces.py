"""Moods: one set of faces for everyone who has one."""

from __future__ import annotations

from cartoon.ink import INK, WHITE, circle, num, path

MOODS = {
    "calm": ("dots", "flat"),
    "happy": ("dots", "smile"),
    "proud": ("shut", "smile"),
    "asleep": ("shut", "flat"),
    "worried": ("raised", "frown"),
    "angry": ("glare", "frown"),
    "sly": ("lids", "smile"),
    "bored": ("lids", "flat"),
    "shocked": ("wide", "open"),
    "talking": ("dots", "open"),
}
"""Each mood's eyes and mouth."""


def face(x: float, y: float, mood: str, scale: float = 1) -> str:
    """Eyes and mouth around (x, y), 26 wide at scale 1. Raises ValueError for a mood that nobody has drawn."""
    if mood not in MOODS:
        raise ValueError(f"no mood {mood!r}; there are {', '.join(MOODS)}")
    eyes, mouth = MOODS[mood]
    inner = _eyes(eyes) + _mouth(mouth)
    return f'<g transform="translate({num(x)},{num(y)}) scale({num(scale)})">{inner}</g>'


def _eyes(kind: str) -> str:
    dots = circle(-8, -3, 2.8, INK, "none") + circle(8, -3, 2.8, INK, "none")
    match kind:
        case "shut":
            return path("M-13-4q5 6 10 0M3-4q5 6 10 0", width=2.5)
        case "lids":
            return dots + path("M-14-6h11M3-6h11", width=3)
        case "raised":
            return dots + path("M-14-9l8-5M14-9l-8-5", width=2.5)
        case "glare":
            return dots + path("M-14-12l11 5M14-12l-11 5", width=2.5)
        case "wide":
            rings = circle(-8, -4, 6, WHITE, width=2) + circle(8, -4, 6, WHITE, width=2)
            return rings + circle(-8, -4, 2, INK, "none") + circle(8, -4, 2, INK, "none")
    return dots


def _mouth(kind: str) -> str:
    match kind:
        case "smile":
            return path("M-8 8q8 8 16 0", width=2.5)
        case "frown":
            return path("M-7 12q7-7 14 0", width=2.5)
        case "open":
            return path("M-5 10a5 5 0 1 0 10 0a5 5 0 1 0-10 0z", INK, width=1)
    return path("M-6 10h12", width=2.5)
