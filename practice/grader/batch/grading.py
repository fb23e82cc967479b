"""One grading of a batch, as text in and text out: what a judge's process is asked, here or on another machine."""

import base64
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from practice.grader.catalogue import Card, find_card
from practice.grader.classroom import for_class
from practice.grader.isolate.doctor import OPEN, examine
from practice.grader.marks import mark
from practice.grader.report import Finding, Report, Verdict
from practice.grader.rows import Row, row_as_data, row_from_data
from practice.grader.verify.verifier import grade

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


class Examiner:
    """Grades in this process; where `isolated`, an answer around which a layer is missing is not graded at all.

    `layers` are those found at the beginning, and `open_attempts` what they do not stop; neither is known, nor asked
    for, where `isolated` is false.
    """

    def __init__(self, isolated: bool) -> None:
        self.layers: list[str] = []
        self.open_attempts: list[str] = []
        if isolated:
            self.layers, outcomes = examine()
            self.open_attempts = [attempt for attempt, outcome in outcomes.items() if outcome == OPEN]

    def grade(self, request: Request) -> Row:
        """The row of one answer; UNGRADED where the judge failed, or a layer."""
        report = grade(find_card(request.exercise), request.source, request.file, request.seed)
        lacking = [layer for layer in self.layers if layer not in report.isolation]
        if lacking and not report.fault:
            fault = Finding(Verdict.UNGRADED, "class_degraded", {"layers": ", ".join(lacking)})
            report = replace(report, results=(), fault=fault)
        return row_of(request, report)


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
