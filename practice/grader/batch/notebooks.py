"""The cells of a notebook that answer exercises: marked by `%%judge ID` or by nbgrader's `grade_id`."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from practice.grader.isolate.wire import SOURCE_LIMIT
from practice.grader.report import Finding, Verdict
from practice.grader.verify.source import Unfit, without_magics

MARK = re.compile(r"\s*%%judge[ \t]+(?:--lang[= \t]+\w+[ \t]+)?(\w+)")


@dataclass(frozen=True)
class Cell:
    """A code cell that claims to answer an exercise; `number` counts code cells from 1."""

    exercise: str
    number: int
    source: str


def marked_cells(raw: bytes, exercises: Collection[str]) -> list[Cell]:
    """The cells of a notebook's bytes that are marked as answers to `exercises`; Unfit where it is no notebook.

    A cell's own `%%judge` line is asked first, then its metadata's nbgrader.grade_id, of solution cells only.
    """
    try:
        cells = [cell for cell in json.loads(raw)["cells"] if cell["cell_type"] == "code"]
        told = [("".join(cell["source"]), _grade_id(cell)) for cell in cells]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise Unfit("no_notebook", place="", reason=f"{type(error).__name__}: {error}"[:200]) from error
    found = []
    for number, (source, grade_id) in enumerate(told, 1):
        marked = MARK.match(source)
        exercise = marked[1] if marked else grade_id
        if exercise in exercises:
            found.append(Cell(exercise, number, source))
    return found


def plain_source(cell: Cell, file: str) -> tuple[bytes, str, Finding | None]:
    """A cell as Python, what to call it in messages, and what keeps it from running, if anything does."""
    name = f"{file}[cell {cell.number}]"
    if len(cell.source) > SOURCE_LIMIT:
        return b"", name, source_too_large(name, len(cell.source))
    try:
        return without_magics(cell.source, name).encode(errors="replace"), name, None
    except Unfit as unfit:
        return b"", name, unfit.finding


def source_too_large(place: str, size: int) -> Finding:
    """The finding on a source that no answer needs."""
    fields = {"place": place, "size": f"{size:,}", "limit": f"{SOURCE_LIMIT:,}"}
    return Finding(Verdict.ERROR, "source_size", fields)


def _grade_id(cell: dict[str, Any]) -> str:
    told = cell.get("metadata", {}).get("nbgrader", {})
    return str(told["grade_id"]) if told.get("solution") and "grade_id" in told else ""
