"""The ledger: every measured number that the course's prose quotes, in ``assets/ledger.json``.

A chapter calls ``record``. Building the chapters sets ``LEDGER_OUT`` and collects what was recorded; anywhere else
``record`` only hands its value back, so a reader's runs change nothing.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

LEDGER = Path(__file__).resolve().parents[2] / "assets" / "ledger.json"


def record(key: str, value: float, rel_tol: float = 0.002) -> float:
    """Note a measured number under ``key`` with the relative difference another run may show; returns the value."""
    if not math.isfinite(value):
        raise ValueError(f"{key} was measured as {value}")
    out = os.environ.get("LEDGER_OUT")
    if out:
        path = Path(out)
        entries = read(path) if path.exists() else {}
        entries[key] = {"value": float(value), "rel_tol": rel_tol}
        path.write_text(json.dumps(dict(sorted(entries.items())), indent=1) + "\n", encoding="utf-8")
    return value


def read(path: Path = LEDGER) -> dict[str, dict[str, float]]:
    """All entries: key -> ``{"value", "rel_tol"}``."""
    entries: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
    return entries
