"""How wide text is, and where its lines break.

Widths are those of DejaVu Sans, which comes with matplotlib and is wider than most sans-serif fonts that a reader may
have; every Chinese character and full-width mark is one em in any font.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from pathlib import Path

import matplotlib
from PIL import ImageFont

LEADING = 1.25
"""Distance of two baselines, in em."""

_NO_START = "，。、；：？！）》」』”’…—,.;:?!)%×+"
_NO_END = "（《「『“‘("
_STOPS = "，。；：？！,.;:?!）)"
_MID_PHRASE = 40.0  # what a break within a phrase costs, in em²
_HAN = "[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_EM = 2048  # the font's own units: widths come out exact, whatever rounds them


def width(text: str, size: float, *, wide: bool, bold: bool = False) -> float:
    """The width of one line. ``wide``: quotation marks, dashes and ellipses take an em, as they do in Chinese."""
    full = [char for char in text if _is_full(char, wide)]
    rest = "".join(char for char in text if not _is_full(char, wide))
    return size * (len(full) + _font(bold).getlength(rest) / _EM)


def wrap(text: str, size: float, limit: float, *, wide: bool) -> list[str]:
    """The text in as few lines as ``limit`` allows, even in length, and broken at punctuation where that costs little.

    Chinese may break between any two characters, but no line begins with a closing mark or ends with an opening one,
    and a number stays with what it counts. Raises ValueError where one piece is wider than ``limit``.
    """
    pieces = _pieces(text)
    if widest := next((piece.strip(" ") for piece in pieces if width(piece.strip(" "), size, wide=wide) > limit), None):
        raise ValueError(f"{widest!r} does not fit into a line {limit:.0f} wide")
    best: list[tuple[int, float, list[str]]] = [(0, 0.0, [])]  # for the first n pieces: lines, raggedness, the lines
    for end in range(1, len(pieces) + 1):
        ways = []
        for start in range(end):
            line = "".join(pieces[start:end]).strip(" ")
            long = width(line, size, wide=wide)
            if long <= limit:
                count, ragged, before = best[start]
                rests = end == len(pieces) or line[-1] in _STOPS or pieces[end][0] in _NO_END
                cost = ((limit - long) / size) ** 2 + (0 if rests else _MID_PHRASE)
                ways.append((count + 1, ragged + cost, [*before, line]))
        best.append(min(ways, key=lambda way: way[:2]))
    return best[-1][2]


def _pieces(text: str) -> list[str]:
    """The text cut wherever a line may break; spaces stay at the ends of pieces. A no-break space is no place."""
    pieces: list[str] = []
    for piece in re.findall(rf"{_HAN}|(?:(?!{_HAN})[^ ])+ ?| ", text):
        glued = pieces and (piece[0] in _NO_START or piece == " " or pieces[-1][-1] in _NO_END)
        counted = pieces and re.search(r"\d%? ?$", pieces[-1]) and re.match(_HAN, piece)
        if glued or counted:
            pieces[-1] += piece
        else:
            pieces.append(piece)
    return pieces


def _is_full(char: str, wide: bool) -> bool:
    return unicodedata.east_asian_width(char) in "WF" or (wide and char in "“”‘’…—·×")


@cache
def _font(bold: bool) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if bold else "DejaVuSans.ttf"
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return ImageFont.truetype(str(folder / name), _EM, layout_engine=ImageFont.Layout.BASIC)
