"""The ledger: every measured number that the course's prose quotes, in ``assets/ledger.json``.

A chapter calls ``record``. Building the chapters sets ``LEDGER_OUT`` and collects what was recorded; anywhere else
``record`` only hands its value back, so a reader's runs change nothing. ``{{key:.1f}}`` in prose, in a quiz or in a
comic is a number of the ledger, or of ``assets/published.json``: numbers of others, each with its source.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

LEDGER = Path(__file__).resolve().parents[2] / "assets" / "ledger.json"
PUBLISHED = LEDGER.with_name("published.json")
QUOTE = re.compile(r"\{\{([\w.+ -]+):([^{}]+)\}\}")

Ledger = dict[str, dict[str, Any]]


def record(key: str, value: float, rel_tol: float = 0.002) -> float:
    """Note a measured number under ``key`` with the relative difference another run may show; returns the value."""
    if not math.isfinite(value):
        raise ValueError(f"{key} was measured as {value}")
    out = os.environ.get("LEDGER_OUT")
    if out:
        path = Path(out)
        entries = read(path)
        entries[key] = {"value": float(value), "rel_tol": rel_tol}
        path.write_text(json.dumps(dict(sorted(entries.items())), indent=1) + "\n", encoding="utf-8")
    return value


def read(path: Path = LEDGER) -> Ledger:
    """All entries of a file, none where it is missing: key -> ``{"value", "rel_tol"}`` or ``{"value", "source"}``."""
    entries: Ledger = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return entries


def quotable() -> Ledger:
    """What may be quoted: measured numbers, and those of others."""
    return read() | read(PUBLISHED)


def quote(prose: str, numbers: Mapping[str, Mapping[str, Any]]) -> str:
    """Prose with each ``{{key:format}}`` replaced by its number.

    Raises KeyError naming an unknown key, and ValueError where something in double braces is no such quote.
    """
    quoted = QUOTE.sub(lambda found: format(numbers[found[1]]["value"], found[2]), prose)
    left = re.search(r"\{\{[^\n]*|[^\n]*\}\}", quoted)
    if left:
        raise ValueError(
            f"{left[0][:60]!r} is no quote of the ledger: write {{{{key:format}}}}, such as {{{{03.ppl.full:.1f}}}}"
        )
    return quoted


def quoted(value: Any, numbers: Mapping[str, Mapping[str, Any]]) -> Any:
    """What a file holds, with every quote of its texts filled in, however deep it stands."""
    if isinstance(value, str):
        return quote(value, numbers)
    if isinstance(value, dict):
        return {key: quoted(inner, numbers) for key, inner in value.items()}
    return [quoted(inner, numbers) for inner in value] if isinstance(value, list) else value
