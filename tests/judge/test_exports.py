"""A class's results in every form: each is read back by what reads such files, and none tells what it must not."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import junitparser
import pytest
from jsonschema import Draft202012Validator

from practice.grader.batch.grading import Request, row_as_text, row_from_text, row_of
from practice.grader.batch.items import analyse
from practice.grader.catalogue import find_card
from practice.grader.classroom import TOLD_AS, for_class
from practice.grader.commands.results import file_name, write_results
from practice.grader.marks import Mark, mark
from practice.grader.report import CaseResult, Finding, Misconception, Report, Verdict
from practice.grader.rows import MISSING, UNUSABLE, Row
from practice.grader.tell.class_junit import rows_as_junit
from practice.grader.tell.class_table import items_as_csv, render_items, rows_as_csv, rows_as_data
from practice.grader.tell.en import TABLE
from practice.grader.tell.gradescope import rows_as_gradescope

GRADER = Path(__file__).resolve().parents[2] / "practice/grader"
SCHEMA = json.loads((GRADER / "tell/batch.schema.json").read_text(encoding="utf-8"))
GRADESCOPE = json.loads((GRADER / "tell/gradescope.schema.json").read_text(encoding="utf-8"))
CARD = find_card("evict_sinks")
TITLES = {"evict_sinks": CARD.title, "kv_bytes": find_card("kv_bytes").title}
HEAD = "def evict_sinks(k, v, positions, budget, sinks):\n    "
ANSWERS = {
    "ann": "return right(k, v, positions, budget, sinks)",
    "王小明": "return right(k, v, positions, budget, 0)",
    "=1+1": "return k",
    "-b\x1b[2J\n</testsuite>": "raise KeyError(repr(k))",
}
MESSAGES = {
    "en": [
        *("", "worked example: 12 tokens · wrong values"),
        *("returned something else than the outputs that were asked for", "answer.py:2: KeyError"),
    ],
    "zh": ["", "手算例子：12 个 token · 值不对", "返回的不是题目要求的输出", "answer.py:2：KeyError"],
}
EVILS = ("=cmd|' /C calc'!A0", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "＝1")


def graded(student: str, report: Report) -> Row:
    return row_of(Request(student, "evict_sinks", "evict_sinks.py", b"", report.seed), report)


def a_report(*verdicts: Verdict, fault: Finding | None = None) -> Report:
    results = []
    for number, verdict in enumerate(verdicts):
        finding = None if verdict is Verdict.PASS else Finding(verdict, "not_run")
        results.append(CaseResult({"en": f"test {number}", "zh": f"测试 {number}"}, finding, 1.0))
    return Report("evict_sinks", "a.py", tuple(results), (), 0.1, 7, fault=fault)


@pytest.fixture(scope="module")
def rows(report_here: Any, right_answer: str) -> list[Row]:
    """Rows of every kind, of real answers where there is one."""
    found = [
        graded(student, report_here("evict_sinks", f"{HEAD}{code}\n\n\n{right_answer}", 5))
        for student, code in ANSWERS.items()
    ]
    fault = Finding(Verdict.UNGRADED, "fault", {"error": "no memory"})
    found.append(graded("dan", a_report(fault=fault)))
    found.append(graded("eve", a_report(Verdict.PASS, Verdict.TIME, Verdict.NOT_RUN)))
    found.append(
        Row(
            "fay",
            "evict_sinks",
            MISSING,
            0.0,
            1.0,
            reason=Finding(Verdict.NOT_RUN, "class_missing", {"exercise": "evict_sinks"}),
        )
    )
    twice = Finding(Verdict.NOT_RUN, "class_twice", {"files": "=1.py, b.py"})
    found.append(Row("gil", "evict_sinks", UNUSABLE, 0.0, 1.0, reason=twice))
    return found


def test_marks() -> None:
    third = (Verdict.PASS, Verdict.WRONG, Verdict.CONTRACT)
    assert mark(a_report(*third)) == Mark(0.33, 1.0)
    assert mark(a_report(*third), max_points=6) == Mark(2.0, 6)
    assert mark(a_report(Verdict.PASS, Verdict.ERROR)) == Mark(0.5, 1.0)
    assert mark(a_report(Verdict.PASS), max_points=2.5) == Mark(2.5, 2.5)
    assert mark(a_report(*[Verdict.PASS] * 999, Verdict.WRONG)) == Mark(0.99, 1.0)
    for fatal in (Verdict.TIME, Verdict.CRASH, Verdict.POLICY, Verdict.MEMORY):
        assert mark(a_report(*[Verdict.PASS] * 9, fatal)) == Mark(0.0, 1.0)
    assert mark(a_report(fault=Finding(Verdict.UNGRADED, "fault"))) is None


def test_a_row_is_itself_again(rows: list[Row]) -> None:
    assert [row_from_text(row_as_text(row)) for row in rows] == rows
    assert all(row_as_text(row).isascii() for row in rows)


def test_no_hidden_case_and_no_seed(report_here: Any, right_answer: str) -> None:
    source = f"{HEAD}raise type(str(budget) + 'x', (Exception,), {{}})(repr(positions))\n\n\n{right_answer}"
    report = report_here("evict_sinks", source, 123456789)
    assert "tensor(" in json.dumps([str(result.finding) for result in report.results])
    told = str(for_class(report))
    assert "tensor(" not in told
    assert "123456789" not in told
    assert {str(result.finding.fields) for result in for_class(report).results if result.finding} == {
        "{'place': 'answer.py:2', 'type': 'Exception'}"
    }


FORGED = {
    "a line that holds a case": "raise Unfit('exception', 'x', int.from_bytes(repr(positions).encode()[:99], 'big'))",
    "a line below nothing": "raise Unfit('policy', 'x', -int.from_bytes(repr(positions).encode()[:99], 'big'))",
    "a signature": "raise Unfit('signature', repr(positions), 1)",
    "a name that is missing": "raise Unfit('missing', repr(positions), 1)",
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_failure_tells_no_case_and_costs_the_answer(report_here: Any, name: str) -> None:
    """The child's own exception is within an answer's reach, and what it says is not to be believed."""
    source = f"from practice.grader.isolate.answer import Unfit\n\n\n{HEAD}{FORGED[name]}"
    row = graded("ann", report_here("evict_sinks", source, 5))
    assert (row.points, row.passed, row.outcome in ("UNGRADED", "PASS")) == (0.0, 0, False)
    assert "tensor(" not in str(row)
    assert all(len(str(value)) < 40 for each in row.results if each.finding for value in each.finding.fields.values())


def test_python_s_own_exceptions_keep_their_names(report_here: Any) -> None:
    report = for_class(report_here("evict_sinks", f"{HEAD}return k[99]", 1))
    assert {result.finding.fields["type"] for result in report.results if result.finding} == {"IndexError"}


def test_what_failed_before_any_case_is_told_in_full(report_here: Any) -> None:
    report = report_here("evict_sinks", "def evict_sinks(k): pass")
    (finding,) = {result.finding.key: result.finding for result in for_class(report).results if result.finding}.values()
    assert (finding.key, finding.fields["found"]) == ("signature", "evict_sinks(k)")


def test_every_class_sentence_is_there() -> None:
    assert set(TOLD_AS.values()) <= set(TABLE)


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_csv(rows: list[Row], lang: Any) -> None:
    text = rows_as_csv(rows, lang)
    found = list(csv.DictReader(io.StringIO(text)))
    assert text.startswith('"student","exercise","outcome",')
    assert [row["student"] for row in found] == [
        *("ann", "王小明", "'=1+1", "'-b\N{REPLACEMENT CHARACTER}[2J\n</testsuite>", "dan", "eve", "fay", "gil")
    ]
    assert [row["outcome"] for row in found] == [
        *("PASS", "WRONG", "CONTRACT", "ERROR", "UNGRADED", "TIME", "MISSING", "UNUSABLE")
    ]
    assert [row["points"] for row in found] == ["1.0", "0.43", "0.0", "0.0", "", "0.0", "0.0", "0.0"]
    assert found[1]["misconceptions"] == "plain_window"
    assert [row["message"] for row in found[:4]] == MESSAGES[lang]


@pytest.mark.parametrize("evil", EVILS)
def test_no_cell_is_a_formula(evil: str) -> None:
    row = Row(evil, "kv_bytes", UNUSABLE, 0.0, 1.0, file=evil)
    (found,) = csv.DictReader(io.StringIO(rows_as_csv([row], "en")))
    assert found["student"][0] == found["file"][0] == "'"


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_json(rows: list[Row], lang: Any) -> None:
    told = rows_as_data(rows, lang)
    Draft202012Validator(SCHEMA).validate(told)
    assert [row["student"] for row in told["rows"]] == [row.student for row in rows]
    assert [row["points"] for row in told["rows"]] == [row.points for row in rows]
    assert "seconds" not in json.dumps(told)


def test_the_schemas_bite(rows: list[Row]) -> None:
    good = rows_as_data(rows, "en")["rows"][0]
    for key in good:
        assert not Draft202012Validator(SCHEMA).is_valid({"rows": [{k: v for k, v in good.items() if k != key}]})
    assert not Draft202012Validator(SCHEMA).is_valid({"rows": [{**good, "outcome": "FINE"}]})
    validator = Draft202012Validator(GRADESCOPE)
    for wrong in ({}, {"tests": []}, {"score": "1"}, {"score": 1, "tests": [{"status": "PASS"}]}, {"score": 1, "x": 1}):
        assert not validator.is_valid(wrong)
    for schema in (SCHEMA, GRADESCOPE):
        Draft202012Validator.check_schema(schema)


def test_junit_opens_in_a_standard_reader(rows: list[Row], tmp_path: Path) -> None:
    (tmp_path / "junit.xml").write_text(rows_as_junit(rows, "en"), encoding="utf-8")
    suites = list(junitparser.JUnitXml.fromfile(str(tmp_path / "junit.xml")))
    assert [suite.name for suite in suites][:2] == ["ann / evict_sinks", "王小明 / evict_sinks"]
    counts = [(suite.tests, suite.failures, suite.errors, suite.skipped) for suite in suites]
    total = len(rows[0].results)
    assert counts == [
        *((total, 0, 0, 0), (total, total - rows[1].passed, 0, 0), (total, total, 0, 0), (total, total, 0, 0)),
        *((1, 0, 1, 0), (3, 1, 0, 1), (1, 0, 1, 0), (1, 0, 1, 0)),
    ]
    kinds = [{type(result).__name__ for case in suite for result in case.result} for suite in suites]
    assert kinds == [set(), *[{"Failure"}] * 3, {"Error"}, {"Failure", "Skipped"}, {"Error"}, {"Error"}]


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_gradescope(rows: list[Row], lang: Any) -> None:
    for row in rows:
        told = rows_as_gradescope([row], TITLES, lang)
        Draft202012Validator(GRADESCOPE).validate(told)
        assert told["score"] == sum(test["score"] for test in told["tests"]) == (row.points or 0.0)
    two = rows_as_gradescope([rows[0], Row("ann", "kv_bytes", MISSING, 0.0, 1.0, reason=rows[6].reason)], TITLES, lang)
    assert [(test["status"], test["max_score"]) for test in two["tests"]] == [("passed", 1.0), ("failed", 1.0)]
    assert rows[1].misconceptions[0].text[lang] in rows_as_gradescope([rows[1]], TITLES, lang)["tests"][0]["output"]


def test_items(rows: list[Row]) -> None:
    (item,) = analyse(rows)
    assert (item.students, item.graded, item.passed, item.showing) == (8, 5, 1, 1)
    assert item.misconception == rows[1].misconceptions[0]
    (line,) = csv.DictReader(io.StringIO(items_as_csv([item], "zh")))
    assert (line["pass_rate"], line["misconception"]) == ("0.125", "plain_window")
    assert line["explanation"].startswith("这是普通的滑动窗口")
    lines = render_items([item], "en").splitlines()
    assert lines[1].split() == ["evict_sinks", "1/8", "12", "%", "0.00", "plain_window", "(1)"]
    assert lines[2].startswith("plain_window: This is the plain sliding window")


def test_the_commonest_misconception_and_the_median() -> None:
    def row(seconds: float, *names: str) -> Row:
        told = tuple(Misconception(name, {"en": name, "zh": name}) for name in names)
        results = (CaseResult({"en": "a", "zh": "a"}, None),)
        return Row("s", "kv_bytes", "WRONG", 0.0, 1.0, results=results, misconceptions=told, seconds=seconds)

    (item,) = analyse([row(0.5, "b"), row(0.1, "a", "b"), row(9.0, "a"), row(0.2)])
    assert item.misconception
    assert (item.misconception.id, item.showing, item.median_seconds) == ("a", 2, 0.35)


def test_all_files(rows: list[Row], tmp_path: Path) -> None:
    write_results(tmp_path, rows, {"evict_sinks": CARD}, "en")
    assert {path.name for path in tmp_path.iterdir()} == {
        *("marks.csv", "results.json", "junit.xml", "items.csv", "items.png", "gradescope")
    }
    assert (tmp_path / "items.png").read_bytes().startswith(b"\x89PNG")
    assert len(list((tmp_path / "gradescope").iterdir())) == len(rows)


def test_names_of_files() -> None:
    names = ["a/b", "a%2Fb", "..", "x" * 255, "x" * 254 + "y", "王" * 85, "a\0b", "CON"]
    made = [file_name(name) for name in names]
    assert len(set(made)) == len(names)
    assert all(len(name) < 250 and "/" not in name and "\0" not in name for name in made)
