"""Results on disk: one JSON file an experiment, with the fingerprint of what they were measured with."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
from pathlib import Path
from typing import Any, Protocol, cast

from .fingerprint import ROOT, fingerprint
from .lab import Lab

FOLDER = ROOT / "assets" / "experiments"
_NOT_EXPERIMENTS = ("fingerprint", "lab", "store")

Row = dict[str, float | list[float]]
"""What one run measured, by name."""


class Experiment(Protocol):
    """A module of this package."""

    ROWS: tuple[str, ...]
    SAMPLE: tuple[str, ...]
    REL_TOL: float

    def run(self, lab: Lab, row: str) -> Row: ...


def names() -> list[str]:
    """Every experiment, in alphabetical order."""
    found = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)])]
    return sorted(name for name in found if not name.startswith("_") and name not in _NOT_EXPERIMENTS)


def experiment(name: str) -> Experiment:
    """The module of a name. Raises KeyError naming those that there are."""
    if name not in names():
        raise KeyError(f"no experiment {name!r}; there are {', '.join(names())}")
    return cast(Experiment, importlib.import_module(f"{__package__}.{name}"))


def current(name: str) -> str:
    """The fingerprint that results measured now would have."""
    return fingerprint(f"{__package__}.{name}")


def read(name: str) -> dict[str, Any]:
    """``{"fingerprint", "seconds", "rows"}`` as stored; without rows where there is nothing."""
    path = FOLDER / f"{name}.json"
    if not path.exists():
        return {"fingerprint": "", "seconds": 0.0, "rows": {}}
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return stored


def write(name: str, stored: dict[str, Any]) -> None:
    """Store, in one step: an interruption leaves the old file or the new."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    path = FOLDER / f"{name}.json"
    partial = path.with_suffix(".partial")
    rows = ",\n".join(f"  {json.dumps(row)}: {json.dumps(_rounded(values))}" for row, values in stored["rows"].items())
    head = f' "fingerprint": "{stored["fingerprint"]}",\n "seconds": {stored["seconds"]:.0f},\n'
    partial.write_text("{\n" + head + ' "rows": {\n' + rows + "\n }\n}\n", encoding="utf-8")
    os.replace(partial, path)


def _rounded(values: Row) -> Row:
    """Six digits: more are noise of the machine."""

    def short(value: float) -> float:
        return float(f"{value:.6g}")

    return {k: [short(x) for x in v] if isinstance(v, list) else short(v) for k, v in values.items()}
