"""What a teacher may add to a source notebook, and what `generate_assignment` refuses or takes out."""

import json

import pytest
from classes.course import Course
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from traitlets.config import Config

from practice.nbgrader.settings import grade_with_judge
from practice.nbgrader.source import CheckSource, NotGradable

JUDGED = {"judge": {"exercise": "kv_bytes", "lang": "en"}}


def told(name, **more):
    plain = {"schema_version": 3, "grade": False, "solution": False, "locked": False, "task": False}
    return {"nbgrader": {**plain, "grade_id": name, **more}}


def check(*cells):
    return CheckSource().preprocess(new_notebook(cells=list(cells)), {})[0].cells


def test_what_could_not_be_graded_is_refused():
    test = told("mine-test", grade=True, points=2, locked=True)
    with pytest.raises(NotGradable, match="cell mine-test is no exercise of the course"):
        check(new_code_cell("assert mine", metadata=test))
    with pytest.raises(NotGradable, match="cell mine-test grades kv_bytes, and no answer cell has that name"):
        check(new_code_cell(metadata=told("renamed", solution=True)), new_code_cell(metadata={**test, **JUDGED}))
    with pytest.raises(NotGradable, match="cell essay is a task"):
        check(new_markdown_cell(metadata=told("essay", task=True, points=2, locked=True)))


def test_text_and_hand_marked_answers_are_fine_and_lose_their_pictures():
    picture = {"rubric.png": {"image/png": "iVBORw0KGgo="}}
    by_hand = new_markdown_cell("rubric", metadata=told("mine", grade=True, solution=True, points=2))
    text = new_markdown_cell("text", metadata=told("text", locked=True))
    by_hand.attachments = text.attachments = picture
    answer, shown = check(by_hand, text)
    assert "attachments" not in answer
    assert shown.attachments == picture


def test_nothing_of_nbgraders_own_steps_is_lost():
    grade_with_judge(config := Config())
    steps = [step.__name__ for step in config.GenerateAssignment.preprocessors]
    assert steps[0] == "CheckSource"
    assert {"LockCells", "ClearSolutions", "ClearOutput", "SaveCells", "ClearHiddenTests"} <= set(steps)


def test_the_command_refuses_before_students_see_anything(tmp_path):
    course = Course(tmp_path)
    path = course.folder / "source/01_cost/01_cost.ipynb"
    notebook = course.notebook("source", "01_cost")
    test = new_code_cell("assert 1", metadata=told("mine-test", grade=True, points=2, locked=True))
    notebook["cells"].append(test)
    path.write_text(json.dumps(notebook))
    assert "cell mine-test is no exercise" in course.nbgrader("generate_assignment", "01_cost", status=1)
    assert not (course.folder / "release/01_cost").exists()
