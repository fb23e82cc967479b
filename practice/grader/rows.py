"""A class's results as plain data: one row for each student and exercise.  `batch` writes it, `tell` exports it."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from practice.grader.report import CaseResult, Finding, Misconception, Verdict

MISSING = "MISSING"
UNUSABLE = "UNUSABLE"


@dataclass(frozen=True)
class Row:
    """What came of one student's answer to one exercise.

    `outcome` is a verdict; MISSING: nothing was handed in; UNUSABLE: what was handed in cannot be read.  `reason` says
    why there are no tests.  `points` is None where the judge itself failed.  `seconds` is how long grading took.
    """

    student: str
    exercise: str
    outcome: str
    points: float | None
    max_points: float
    file: str = ""
    reason: Finding | None = None
    results: tuple[CaseResult, ...] = ()
    misconceptions: tuple[Misconception, ...] = ()
    isolation: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def passed(self) -> int:
        return sum(result.verdict is Verdict.PASS for result in self.results)


@dataclass(frozen=True)
class Item:
    """One exercise over a class: answers `graded` of those of `students`, how many `passed`, the commonest
    misconception (None: no answer showed one) and how many showed it, and the median seconds of a grading."""

    exercise: str
    students: int
    graded: int
    passed: int
    misconception: Misconception | None
    showing: int
    median_seconds: float


def row_as_data(row: Row) -> dict[str, Any]:
    """A row as what JSON holds."""
    return asdict(row)


def row_from_data(told: dict[str, Any]) -> Row:
    """The row that `row_as_data` told; KeyError or TypeError where it is none."""
    return Row(
        **{
            **told,
            "reason": _finding(told["reason"]),
            "results": tuple(_result(each) for each in told["results"]),
            "misconceptions": tuple(Misconception(**each) for each in told["misconceptions"]),
            "isolation": tuple(told["isolation"]),
        }
    )


def in_order(rows: Sequence[Row]) -> list[Row]:
    """By student, then by exercise."""
    return sorted(rows, key=lambda row: (row.student, row.exercise))


def _result(told: dict[str, Any]) -> CaseResult:
    return CaseResult(**{**told, "finding": _finding(told["finding"])})


def _finding(told: dict[str, Any] | None) -> Finding | None:
    return Finding(**{**told, "verdict": Verdict(told["verdict"])}) if told else None
