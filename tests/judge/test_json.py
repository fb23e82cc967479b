"""The JSON result: what the schema says, for every verdict and in both languages."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from practice.grader.catalogue import find_card
from practice.grader.report import Report, Verdict
from practice.grader.tell.as_json import as_json
from practice.grader.verify.verifier import grade

GRADER = Path(__file__).resolve().parents[2] / "practice/grader"
SCHEMA = json.loads((GRADER / "tell/result.schema.json").read_text(encoding="utf-8"))
KEYS = ["exercise", "verdict", "passed", "total", "tests", "misconception", "isolation", "seconds"]
ADDED = ["seed", "misconceptions", "example", "work"]
DEF = "def evict_sinks(k, v, positions, budget, sinks):\n    "
ANSWERS = {
    Verdict.PASS: "return right(k, v, positions, budget, sinks)",
    Verdict.WRONG: "return right(k, v, positions, budget, 0)",
    Verdict.CONTRACT: "return k",
    Verdict.ERROR: "return k['\\udcff\\x00']",
    Verdict.MEMORY: "return bytearray(1 << 33)",
    Verdict.TIME: "while True: pass",
    Verdict.CRASH: "import os; os._exit(7)",
    Verdict.POLICY: "raise PermissionError(1, 'Operation not permitted')",
    Verdict.UNGRADED: "pass",
}


@pytest.fixture(scope="module", params=ANSWERS, ids=str)
def report(request: pytest.FixtureRequest, right_answer: str) -> Report:
    """One real report of each verdict."""
    card = find_card("evict_sinks")
    source = f"{DEF}{ANSWERS[request.param]}\n\n{right_answer}".encode()
    if request.param is Verdict.TIME:
        card = dataclasses.replace(card, time_limit=0.4)
    if request.param is Verdict.UNGRADED:
        card = dataclasses.replace(card, folder=card.folder / "nowhere")
    graded = grade(card, source, "answer.py", count_work=request.param is Verdict.PASS)
    assert graded.verdict is request.param
    return graded


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_real_result_fits_the_schema(report: Report, lang: Any) -> None:
    told = as_json(report, lang)
    result = json.loads(told)
    Draft202012Validator(SCHEMA).validate(result)
    assert told.isascii()
    assert "\n" not in told
    assert list(result) == [*KEYS, *ADDED]
    assert result["verdict"] == report.verdict
    assert result["total"] == len(result["tests"])
    assert result["passed"] == sum(test["verdict"] == "PASS" for test in result["tests"])
    assert all(bool(test["message"]) == (test["verdict"] != "PASS") for test in result["tests"])


def test_what_each_verdict_brings(report: Report) -> None:
    result = json.loads(as_json(report, "zh"))
    explained = report.verdict in (Verdict.WRONG, Verdict.CONTRACT, Verdict.ERROR)
    assert (result["example"] is not None) == explained
    assert (result["misconceptions"] == ["plain_window"]) == (report.verdict is Verdict.WRONG)
    assert bool(result["misconception"]) == (report.verdict is Verdict.WRONG)
    assert [work["who"] for work in result["work"]] == (
        ["answer", "reference"] if report.verdict is Verdict.PASS else []
    )
    if report.verdict is Verdict.WRONG:
        assert result["misconception"].startswith("这是普通的滑动窗口")
    verdicts = {test["verdict"] for test in result["tests"]}
    assert ("NOT_RUN" in verdicts) == (report.verdict in (Verdict.TIME, Verdict.CRASH))
    assert all(test["milliseconds"] == 0 for test in result["tests"] if test["verdict"] == "NOT_RUN")


def test_the_schema_is_one_and_bites() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    validator = Draft202012Validator(SCHEMA)
    report = Report("evict_sinks", "answer.py", results=(), isolation=(), seconds=0.5, seed=3)
    good = json.loads(as_json(report, "en"))
    validator.validate(good)
    spoiled: list[dict[str, object]] = [{key: good[key] for key in good if key != left} for left in good]
    changes = {"verdict": "FINE", "passed": -1, "misconception": "", "seed": "3", "example": {}, "work": [{}]}
    spoiled += [
        {**good, key: value} for key, value in {**changes, "tests": [{}], "more": 1, "misconceptions": None}.items()
    ]
    assert [result for result in spoiled if validator.is_valid(result)] == []
    named = set(SCHEMA["properties"]["verdict"]["enum"]) | set(
        SCHEMA["properties"]["tests"]["items"]["properties"]["verdict"]["enum"]
    )
    assert named == set(Verdict)
