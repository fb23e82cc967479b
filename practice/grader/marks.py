"""From a grading to a mark: one rule for `batch`, for nbgrader and for Gradescope."""

import math
from dataclasses import dataclass

from practice.grader.report import GRAVITY, Report, Verdict

HUNDREDTHS = 100


@dataclass(frozen=True)
class Mark:
    """What a grading is worth: `points`, rounded down to hundredths, of `max_points`."""

    points: float
    max_points: float


def mark(report: Report, max_points: float = 1.0) -> Mark | None:
    """The mark of one grading; None where the judge itself failed (UNGRADED): grade again, or by hand.

    WRONG, CONTRACT and ERROR earn the share of the tests that passed.  An answer that had to be stopped, or ended its
    process (MEMORY, TIME, POLICY, CRASH), earns nothing: how many tests it had passed by then is the luck of their
    order.  Hundredths are rounded down, so that only an answer that passes every test has all the points.
    """
    verdict, passed, total = report.verdict, report.passed, len(report.results)
    if verdict is Verdict.UNGRADED:
        return None
    if GRAVITY[verdict] > GRAVITY[Verdict.ERROR]:
        return Mark(0.0, max_points)
    if passed == total:
        return Mark(max_points, max_points)
    return Mark(math.floor(HUNDREDTHS * max_points * passed / total) / HUNDREDTHS, max_points)
