"""Who grades in a judge's process of a batch; the batch's own process does without, and without torch."""

from dataclasses import replace

from practice.grader.batch.grading import Request, row_of
from practice.grader.catalogue import find_card
from practice.grader.isolate.doctor import OPEN, examine
from practice.grader.report import Finding, Verdict
from practice.grader.rows import Row
from practice.grader.verify.verifier import grade


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
