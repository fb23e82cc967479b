"""Item analysis: what an exercise was like for a class."""

import statistics
from collections import Counter
from collections.abc import Sequence

from practice.grader.report import Verdict
from practice.grader.rows import MISSING, UNUSABLE, Item, Row

NOT_GRADED = (MISSING, UNUSABLE, Verdict.UNGRADED)


def analyse(rows: Sequence[Row]) -> list[Item]:
    """One item for each exercise, in the order of the rows."""
    return [_item(exercise, rows) for exercise in dict.fromkeys(row.exercise for row in rows)]


def _item(exercise: str, rows: Sequence[Row]) -> Item:
    own = [row for row in rows if row.exercise == exercise]
    graded = [row for row in own if row.outcome not in NOT_GRADED]
    shown = {each.id: each for row in graded for each in row.misconceptions}
    counts = Counter(each.id for row in graded for each in row.misconceptions)
    commonest = min(counts, key=lambda name: (-counts[name], name), default=None)
    return Item(
        exercise,
        students=len(own),
        graded=len(graded),
        passed=sum(row.outcome == Verdict.PASS for row in graded),
        misconception=shown[commonest] if commonest else None,
        showing=counts[commonest] if commonest else 0,
        median_seconds=statistics.median(seconds)
        if (seconds := [row.seconds for row in graded if row.results])
        else 0.0,
    )
