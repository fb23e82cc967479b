"""One student's rows as Gradescope's results.json (its autograder documentation, "Output format")."""

from collections.abc import Mapping, Sequence
from typing import Any

from practice.grader.report import Text, Verdict
from practice.grader.rows import Row
from practice.grader.tell.class_table import message
from practice.grader.tell.messages import Language, say, sentence


def rows_as_gradescope(rows: Sequence[Row], titles: Mapping[str, Text], lang: Language) -> dict[str, Any]:
    """One test for each exercise, so that the points add up; `titles` by exercise.

    An answer that the judge failed to grade has no points yet, and its output says so.
    """
    return {
        "score": round(sum(row.points or 0.0 for row in rows), 2),
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(row, titles[row.exercise][lang], lang) for row in rows],
    }


def _test(row: Row, title: str, lang: Language) -> dict[str, Any]:
    return {
        "name": f"{row.exercise} · {title}",
        "score": row.points or 0.0,
        "max_score": row.max_points,
        "status": "passed" if row.outcome == Verdict.PASS else "failed",
        "output": "\n".join(_lines(row, lang)),
        "output_format": "text",
        "visibility": "visible",
    }


def _lines(row: Row, lang: Language) -> list[str]:
    if row.outcome == Verdict.UNGRADED:
        return [say(lang, "class_ungraded")]
    if not row.results:
        return [f"{row.outcome}: {message(row, lang)}"]
    lines = [say(lang, "class_passed", verdict=row.outcome, passed=row.passed, total=len(row.results))]
    for result in row.results:
        told = f": {sentence(lang, result.finding)}" if result.finding else ""
        lines.append(f"{result.verdict:9}{result.name[lang]}{told}")
    if row.misconceptions:
        lines += ["", say(lang, "mistake" if len(row.misconceptions) == 1 else "mistakes")]
        lines += [each.text[lang] for each in row.misconceptions]
    return lines
