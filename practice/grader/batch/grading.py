"""One grading of a batch, as text in and text out: what a judge's process is asked, here or on another machine."""

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from practice.grader.catalogue import Card
from practice.grader.classroom import for_class
from practice.grader.marks import mark
from practice.grader.report import Report
from practice.grader.rows import Row, row_as_data, row_from_data

MAX_POINTS = 1.0
GRADER = Path(__file__).resolve().parents[1]
RULES = ("verify", "isolate", "report.py", "classroom.py", "marks.py")
"""What a row depends on besides the answer and its exercise."""


@dataclass(frozen=True)
class Request:
    """An answer to grade: `file` is what messages call its source, `seed` draws its cases."""

    student: str
    exercise: str
    file: str
    source: bytes
    seed: int

    def as_text(self) -> str:
        """One line of ASCII."""
        return json.dumps({**vars(self), "source": base64.b64encode(self.source).decode()})

    @classmethod
    def from_text(cls, text: str) -> Self:
        told = json.loads(text)
        return cls(**{**told, "source": base64.b64decode(told["source"])})


def row_of(request: Request, report: Report) -> Row:
    """A grading as a class's row."""
    told = for_class(report)
    worth = mark(report, MAX_POINTS)
    return Row(
        request.student,
        request.exercise,
        report.verdict,
        worth.points if worth else None,
        MAX_POINTS,
        file=request.file,
        reason=replace(report.fault, traceback="") if report.fault else None,
        results=told.results,
        misconceptions=report.misconceptions,
        isolation=report.isolation,
        seconds=report.seconds,
    )


def row_as_text(row: Row) -> str:
    """One line of ASCII."""
    return json.dumps(row_as_data(row))


def row_from_text(text: str) -> Row:
    """The row that `row_as_text` told."""
    return row_from_data(json.loads(text))


def digest_of(card: Card) -> str:
    """What tells this version of an exercise, and of the judge, from another: all of its code, and its card."""
    found = hashlib.sha256()
    for top, path in [*_sources(card.folder), *(each for rule in RULES for each in _sources(GRADER / rule))]:
        content = path.read_bytes()
        found.update(f"{path.relative_to(top.parent).as_posix()} {len(content)}\n".encode() + content)
    return found.hexdigest()


def _sources(top: Path) -> Iterator[tuple[Path, Path]]:
    """`top` and a source file there, which may be itself, in an order of their own."""
    for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
        if path.suffix in (".py", ".toml"):
            yield top, path
