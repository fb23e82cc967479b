"""Where there is no mark to give: autograding says so, and gives none."""

import pytest
from nbconvert.exporters import NotebookExporter
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbgrader.converters import Autograde
from nbgrader.coursedir import CourseDirectory

from practice.grader.catalogue import find_card
from practice.grader.report import Finding, Report, Verdict
from practice.nbgrader import judged
from practice.nbgrader.answers import NotReleased, _with_answers
from practice.nbgrader.judged import JudgeCells, NotGraded, Submission

NOTEBOOK = b'{"cells": [{"cell_type": "code", "source": "x = 1", "metadata": {"nbgrader": '
NOTEBOOK += b'{"grade_id": "kv_bytes", "solution": true}}}]}'
SUBMISSION = Submission("01_cost.ipynb", NOTEBOOK, 0)


def graded_cell(**more):
    return new_code_cell(metadata={"nbgrader": {"grade_id": "kv_bytes-test", "grade": True, "points": 10}, **more})


JUDGED = {"judge": {"exercise": "kv_bytes", "lang": "en"}}


def test_a_test_that_is_no_exercise_is_refused():
    with pytest.raises(NotGraded, match="cell kv_bytes-test is no exercise"):
        JudgeCells().outputs(graded_cell(), SUBMISSION)


def test_a_fault_of_the_judge_is_no_mark(monkeypatch):
    fault = Finding(Verdict.UNGRADED, "fault", {"error": "disk full"})
    report = Report(find_card("kv_bytes").id, "f", (), (), 0.0, 0, fault=fault)
    monkeypatch.setattr(judged, "grade", lambda *_: report)
    monkeypatch.setattr(judged, "_layers", list)
    with pytest.raises(NotGraded, match="disk full"):
        JudgeCells().outputs(graded_cell(**JUDGED), SUBMISSION)


def test_where_something_gets_through_nothing_is_run(monkeypatch):
    monkeypatch.setattr(
        judged, "examine", lambda: (["process"], {"writes_a_file": judged.OPEN, "opens_a_socket": "no"})
    )
    monkeypatch.setattr(judged, "grade", lambda *_: pytest.fail("an answer was run"))
    judged._layers.cache_clear()
    with pytest.raises(NotGraded, match="writes_a_file"):
        JudgeCells().outputs(graded_cell(**JUDGED), SUBMISSION)
    judged._layers.cache_clear()


def test_a_layer_that_is_missing_around_one_answer_is_no_mark(monkeypatch):
    monkeypatch.setattr(judged, "_layers", lambda: ["process", "a_layer_more"])
    with pytest.raises(NotGraded, match="no a_layer_more"):
        JudgeCells().outputs(graded_cell(**JUDGED), SUBMISSION)


def test_an_instructor_may_do_without(monkeypatch):
    monkeypatch.setattr(judged, "_layers", lambda: pytest.fail("asked all the same"))
    told, result = JudgeCells(require_isolation=False).outputs(graded_cell(**JUDGED), SUBMISSION)
    assert result["data"]["text/plain"] == "0"
    assert "defines no function kv_bytes" in told["data"]["text/plain"]


def test_without_a_release_the_command_that_makes_it_is_named(tmp_path):
    with pytest.raises(NotReleased, match="nbgrader generate_assignment 01_cost"):
        _with_answers(tmp_path / "01_cost.ipynb", b"", {"assignment": "01_cost"})


def test_the_seed_is_drawn_once(tmp_path):
    assert judged._seed(tmp_path) == judged._seed(tmp_path)
    assert (tmp_path / ".judge-seed").stat().st_mode & 0o077 == 0


SPOILT = (b"", b"\n", b"secret", b"1 2", b"-1", b"0x1f", b"9223372036854775808", b"9" * 5000, "１".encode(), b"\xff")


@pytest.mark.parametrize("raw", SPOILT)
@pytest.mark.parametrize(("locale", "told"), [("en_US.UTF-8", "holds no seed"), ("zh_CN.UTF-8", "没有可用的种子")])
def test_a_seed_that_is_none_is_told_and_kept(tmp_path, monkeypatch, raw, locale, told):
    monkeypatch.setenv("LC_ALL", locale)
    (tmp_path / ".judge-seed").write_bytes(raw)
    with pytest.raises(NotGraded, match=told) as refused:
        judged._seed(tmp_path)
    assert str(tmp_path / ".judge-seed") in str(refused.value)
    assert "autograde --force" in str(refused.value)
    assert "secret" not in str(refused.value)
    assert (tmp_path / ".judge-seed").read_bytes() == raw


def test_a_seed_may_end_in_a_newline(tmp_path):
    (tmp_path / ".judge-seed").write_bytes(b"9223372036854775807\n")
    assert judged._seed(tmp_path) == 2**63 - 1


def test_code_that_is_graded_by_hand_is_left_to_a_person(tmp_path):
    converter = Autograde(coursedir=CourseDirectory(root=str(tmp_path)))
    told = {"grade_id": "mine", "grade": True, "solution": True, "points": 3}
    forged = [new_output("execute_result", {"text/plain": "3"})]
    notebook = new_notebook(cells=[new_code_cell("x = 1", metadata={"nbgrader": told}, outputs=forged)])
    names = {"student": "ada", "assignment": "01_cost", "notebook": "01_cost"}
    (cell,) = JudgeCells(parent=NotebookExporter(parent=converter)).preprocess(notebook, {"nbgrader": names})[0].cells
    assert (cell.source, cell.outputs) == ("x = 1", [])
