"""Whether two runs of a cell say the same: words exactly, numbers within a tolerance, pictures and widgets by kind."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from typing import Any

_NUMBER = re.compile(r"[-+]?\d[\d,]*(?:\.\d+)?(?:[eE][-+]?\d+)?")
_BY_KIND_ALONE = ("image/png", "image/svg+xml", "application/vnd.jupyter.widget-view+json")
_WIDGET_REPR = re.compile(r"interactive\(.*|<Figure size .*>", re.DOTALL)


def text_differences(committed: str, again: str, rel_tol: float) -> list[str]:
    """Where two texts differ: in their words, or in a number by more than rel_tol and its last printed digit."""
    words = [" ".join(_NUMBER.sub("#", text).split()) for text in (committed, again)]
    if words[0] != words[1]:
        return [f"words differ: {words[0]!r} became {words[1]!r}"]
    numbers = [_NUMBER.findall(text) for text in (committed, again)]
    return [f"{a} became {b}" for a, b in zip(*numbers, strict=True) if not _close(a, b, rel_tol)]


def _close(a: str, b: str, rel_tol: float) -> bool:
    x, y = (Decimal(text.replace(",", "")) for text in (a, b))
    last_digit = 10.0 ** max(number.as_tuple().exponent for number in (x, y))
    whole = last_digit >= 1.0
    return math.isclose(x, y, rel_tol=rel_tol, abs_tol=0.0 if whole else last_digit * 1.001)


def output_differences(committed: list[Any], again: list[Any], rel_tol: float) -> list[str]:
    """Differences between two lists of a code cell's outputs, in words; empty when they say the same."""
    kinds = [
        [(o.output_type, o.get("name"), *sorted(o.get("data", {}))) for o in outputs] for outputs in (committed, again)
    ]
    if kinds[0] != kinds[1]:
        return [f"outputs differ in kind: {kinds[0]} became {kinds[1]}"]
    found: list[str] = []
    for a, b in zip(committed, again, strict=True):
        if a.output_type == "stream":
            found += text_differences(a.text, b.text, rel_tol)
        for kind in a.get("data", {}):
            if kind not in _BY_KIND_ALONE:
                found += text_differences(*(_WIDGET_REPR.sub("", o.data[kind]) for o in (a, b)), rel_tol)
    return found
