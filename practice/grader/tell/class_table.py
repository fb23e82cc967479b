"""A class's rows as tables: CSV, JSON, and what the terminal shows in the end."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from practice.grader.report import CaseResult
from practice.grader.rows import Item, Row
from practice.grader.tell.messages import Language, plain, say, sentence
from practice.grader.tell.terminal import render_table

FORMULA = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
COLUMNS = (
    *("student", "exercise", "outcome", "passed", "total", "points", "max_points"),
    *("misconceptions", "message", "isolation", "file"),
)
ITEM_COLUMNS = (
    *("exercise", "students", "graded", "passed", "pass_rate"),
    *("misconception", "showing", "explanation", "median_seconds"),
)


def rows_as_csv(rows: Iterable[Row], lang: Language) -> str:
    """A line for each row; cells that a spreadsheet would take for a formula begin with an apostrophe."""
    return _csv(COLUMNS, (_csv_row(row, lang) for row in rows))


def rows_as_data(rows: Iterable[Row], lang: Language) -> dict[str, Any]:
    """The object that `batch.schema.json` describes; for one seed it is always the same."""
    return {"rows": [_row(row, lang) for row in rows]}


def items_as_csv(items: Iterable[Item], lang: Language) -> str:
    """A line for each exercise."""
    return _csv(ITEM_COLUMNS, (_item(item, lang) for item in items))


def render_items(items: Sequence[Item], lang: Language) -> str:
    """The item analysis for a terminal: a table, then what the commonest misconceptions are."""
    rows = [say(lang, "items_head").split("|")]
    told = []
    for item in items:
        seconds = f"{item.median_seconds:.2f}"
        row = [item.exercise, f"{item.passed}/{item.students}", f"{100 * item.passed / item.students:.0f} %", seconds]
        rows.append([*row, f"{item.misconception.id} ({item.showing})" if item.misconception else ""])
        if item.misconception:
            told.append(f"{item.misconception.id}: {item.misconception.text[lang]}")
    return "\n".join([render_table(rows), *told])


def message(row: Row, lang: Language) -> str:
    """The one sentence on a row: why there are no tests, or the test that decided; "" after a pass."""
    if row.reason:
        return sentence(lang, row.reason)
    findings = [(result.name[lang], result.finding) for result in row.results if result.finding]
    deciding = [(name, finding) for name, finding in findings if finding.verdict == row.outcome]
    if not deciding:
        return ""
    name, finding = deciding[0]
    told = sentence(lang, finding)
    met_by_all = len(findings) == len(row.results) and all(each == finding for _, each in findings)
    return told if met_by_all else f"{name} · {told}"


def points(row: Row) -> float | str:
    """What a row is worth; "" where it has not been graded."""
    return "" if row.points is None else row.points


def _csv_row(row: Row, lang: Language) -> dict[str, object]:
    return {
        **{"student": row.student, "exercise": row.exercise, "outcome": row.outcome},
        **{"passed": row.passed, "total": len(row.results), "points": points(row), "max_points": row.max_points},
        "misconceptions": " ".join(each.id for each in row.misconceptions),
        "message": message(row, lang),
        "isolation": " ".join(row.isolation),
        "file": row.file,
    }


def _row(row: Row, lang: Language) -> dict[str, Any]:
    return {
        **{"student": row.student, "exercise": row.exercise, "outcome": row.outcome},
        **{"passed": row.passed, "total": len(row.results), "points": row.points, "max_points": row.max_points},
        "misconceptions": [{"id": each.id, "text": each.text[lang]} for each in row.misconceptions],
        "message": message(row, lang),
        "isolation": list(row.isolation),
        "file": row.file,
        "tests": [_test(result, lang) for result in row.results],
    }


def _test(result: CaseResult, lang: Language) -> dict[str, str]:
    told = sentence(lang, result.finding) if result.finding else ""
    return {"name": result.name["en"], "verdict": result.verdict, "message": told}


def _item(item: Item, lang: Language) -> dict[str, object]:
    told = item.misconception
    return {
        **{"exercise": item.exercise, "students": item.students, "graded": item.graded, "passed": item.passed},
        "pass_rate": f"{item.passed / item.students:.3f}",
        **{"misconception": told.id if told else "", "showing": item.showing},
        "explanation": told.text[lang] if told else "",
        "median_seconds": f"{item.median_seconds:.3f}",
    }


def _csv(columns: Sequence[str], rows: Iterable[dict[str, object]]) -> str:
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(value) for name, value in row.items()})
    return text.getvalue()


def _cell(value: object) -> object:
    """A value as a cell that no spreadsheet computes and no terminal obeys."""
    if not isinstance(value, str):
        return value
    text = plain(value)
    return f"'{text}" if value.startswith(FORMULA) else text
