"""Thirty submissions, honest, wrong, hostile and malformed, through nbgrader: each gets the mark worked out before."""

import csv
import json
import math
import subprocess
import sys
from pathlib import Path

import pytest
from classes.course import ROOT, environment
from classes.thirty import ASSIGNMENT, IDS, marks, the_class


def test_everybody_has_the_mark_worked_out_before(graded):
    found = {
        student: {exercise: scores[exercise] for exercise in IDS}
        for student, scores in graded.scores(ASSIGNMENT).items()
    }
    assert found == marks()
    assert len(found) == 30


def test_the_export_says_the_same(graded):
    graded.nbgrader("export", "--to=marks.csv")
    with (graded.folder / "marks.csv").open(newline="") as table:
        rows = {row["student_id"]: row for row in csv.DictReader(table)}
    assert {name: float(row["score"]) for name, row in rows.items()} == pytest.approx(
        {name: sum(points.values()) for name, points in marks().items()}
    )
    assert {row["max_score"] for row in rows.values()} == {"45.0"}


def test_grading_leaves_nothing_behind(graded):
    assert graded.look() == graded.before
    expected = {
        "autograded",
        "exchange",
        "gradebook.db",
        "nbgrader_config.py",
        "marks.csv",
        ".gitignore",
        ".judge-seed",
    }
    assert {path.name for path in graded.folder.iterdir()} <= expected | {"source", "release", "submitted", "feedback"}


def test_only_what_was_released_is_collected(graded):
    folder = graded.folder / "submitted/x12" / ASSIGNMENT
    assert {path.name for path in folder.rglob("*")} == {
        f"{ASSIGNMENT}.ipynb",
        "timestamp.txt",
        "submission_secret.txt",
    }
    assert (folder / "timestamp.txt").read_text() == "2026-01-05 10:00:00.000000 UTC"
    assert len((folder / "submission_secret.txt").read_text()) == 128


@pytest.mark.parametrize("student", ["x07", "x08", "x09", "m02"])
def test_what_is_graded_is_the_released_notebook(graded, student):
    released, found = graded.notebook("release", ASSIGNMENT), graded.notebook("autograded", ASSIGNMENT, student)
    ours = [cell["metadata"]["nbgrader"] for cell in released["cells"]]
    assert [cell["metadata"]["nbgrader"] for cell in found["cells"]] == ours
    assert found["metadata"]["kernelspec"] == released["metadata"]["kernelspec"]
    assert "onerror" not in json.dumps(found)


def test_the_written_question_waits_for_a_person_where_it_was_answered(graded):
    with graded.gradebook() as gradebook:
        waiting = {}
        for name in ("h01", "h02"):
            grade = gradebook.find_grade("question-answer", ASSIGNMENT, ASSIGNMENT, name)
            waiting[name] = (grade.auto_score, grade.needs_manual_grade)
    assert waiting == {"h01": (None, True), "h02": (0, False)}


def test_a_written_answer_is_text(graded):
    (cell,) = (
        cell
        for cell in graded.notebook("autograded", ASSIGNMENT, "h01")["cells"]
        if cell["metadata"]["nbgrader"]["grade_id"] == "question-answer"
    )
    source = "".join(cell["source"])
    assert "&#60;script&#62;" in source
    assert not set("<$*`\\\n\r") & set(source.partition(">")[2].removesuffix("</div>"))


def test_batch_gives_the_same_marks(graded, tmp_path):
    command = [sys.executable, ROOT / "practice/judge.py", "batch", graded.folder / "submitted", *IDS]
    seed = (graded.folder / ".judge-seed").read_text()
    done = subprocess.run(
        [*map(str, command), "--out", str(tmp_path / "results"), "--seed", seed, "--jobs", "2"],
        env=environment(graded.home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    with (tmp_path / "results/marks.csv").open(encoding="utf-8-sig", newline="") as table:
        rows = list(csv.DictReader(table))
    found = {(row["student"], row["exercise"]): float(row["points"]) for row in rows}
    wanted = {
        (student, exercise): math.floor(round(10 * points[exercise], 6)) / 100
        for student, points in marks().items()
        for exercise in IDS
    }
    assert found == wanted


def test_the_table_and_the_class_are_the_same_thirty():
    assert [student.name for student in the_class(Path("/course"))] == list(marks())
