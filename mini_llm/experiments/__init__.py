"""The course's longer measurements: one module each, its results in ``assets/experiments``, run by `make experiments`.

A chapter loads them with ``results`` and runs a row live with ``rerun``.
"""

from __future__ import annotations

from functools import cache

from .lab import Lab
from .store import Row, experiment, read

__all__ = ["rerun", "results"]


def results(name: str) -> dict[str, Row]:
    """The stored rows of an experiment: row -> what was measured, by name. Raises KeyError for an unknown name."""
    experiment(name)
    rows: dict[str, Row] = read(name)["rows"]
    return rows


def rerun(name: str, row: str) -> Row:
    """Measure one row now, on this machine, as `make experiments` did. Raises KeyError for an unknown row."""
    module = experiment(name)
    if row not in module.ROWS:
        raise KeyError(f"{name} has no row {row!r}; it has {', '.join(module.ROWS)}")
    return module.run(_lab(), row)


@cache
def _lab() -> Lab:
    return Lab()
