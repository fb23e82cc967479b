"""An exercise solved in JupyterLab: `%%judge` above an answer, a hint, and the answer put right."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

from jupyter_reader import ROOT, Reader, chromium, lab_server, reader

pytestmark = [pytest.mark.browser, pytest.mark.model]

EVICT = ROOT / "practice/exercises/evict_sinks"
NOTEBOOK = ROOT / "build/judge_magic.ipynb"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """A clone of the judge and its exercises: the answers written in a test are its own."""
    shutil.copy(ROOT / "judge.py", tmp_path)
    shutil.copytree(ROOT / "practice", tmp_path / "practice", ignore=shutil.ignore_patterns("answers", "__pycache__"))
    return tmp_path


@pytest.fixture
def learner(course: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Reader]:
    chromium()
    monkeypatch.setenv("XDG_STATE_HOME", str(course / "state"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    first = new_code_cell(f"import sys\n\nsys.path.insert(0, {str(course)!r})\n%load_ext judge")
    NOTEBOOK.parent.mkdir(exist_ok=True)
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    nbformat.write(new_notebook(cells=[first, new_code_cell(), new_code_cell()], metadata=kernel), NOTEBOOK)
    try:
        with lab_server(course) as url, reader(url) as looking:
            yield looking
            assert looking.errors == []
            assert looking.outside == []
    finally:
        NOTEBOOK.unlink()


def run_cell(learner: Reader, number: int, source: str = "") -> None:
    """Type `source` over a code cell, or leave it, and run it."""
    editor = learner.page.locator(".jp-CodeCell").nth(number).locator(".cm-content")
    editor.click()
    if source:
        learner.page.keyboard.press("ControlOrMeta+a")
        learner.page.keyboard.insert_text(source)
    learner.page.keyboard.press("ControlOrMeta+Enter")


def test_a_wrong_answer_a_hint_and_the_right_one(learner: Reader, course: Path) -> None:
    wrong = (EVICT / "mutants/plain_window.py").read_text(encoding="utf-8")
    right = (EVICT / "reference.py").read_text(encoding="utf-8")
    learner.open(NOTEBOOK.relative_to(ROOT).as_posix())
    output = learner.page.locator(".jp-CodeCell").nth(1).locator(".jp-OutputArea")
    run_cell(learner, 0)

    run_cell(learner, 1, f"%%judge evict_sinks\n{wrong}")
    output.get_by_text("This is the plain sliding window").wait_for(timeout=30_000)
    expect(output.locator(".judge li")).to_have_count(23)
    expect(output.get_by_text("WRONG: 10 of 23 tests passed")).to_be_visible()

    output.get_by_role("button", name="Hint 1 of 3").click()
    output.get_by_text("What stays is decided by slot numbers alone").wait_for()
    output.get_by_role("button", name="Hint 2 of 3").wait_for()
    learner.screenshot("judge_magic_wrong")

    run_cell(learner, 1, f"%%judge evict_sinks\n{right}")
    output.get_by_text("PASS: 23 of 23 tests passed").wait_for(timeout=30_000)
    expect(output.get_by_role("button", name="Hint")).to_have_count(0)
    learner.screenshot("judge_magic_pass")
    (stored,) = learner.outputs()[1]
    assert "PASS: 23 of 23" in "".join(stored["data"]["text/plain"])
    assert "PASS: 23 of 23" in "".join(stored["data"]["text/html"])

    run_cell(learner, 2, "evict_sinks.__module__")
    learner.page.locator(".jp-CodeCell").nth(2).get_by_text("'__main__'").wait_for()
    told = json.loads((course / "state/long-context-course/progress.json").read_text())["exercises"]["evict_sinks"]
    assert (told["gradings"], told["hints"], bool(told["passed_at"])) == (2, 1, True)
    assert (course / "practice/answers/evict_sinks.py").read_text(encoding="utf-8") == right
