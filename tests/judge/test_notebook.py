"""The judge in a notebook: `%load_ext judge`, then `%%judge ID` above an answer."""

import ast
import contextlib
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_notebook

import judge as door
from practice.grader.catalogue import find_card
from practice.grader.notebook import page, process
from practice.grader.notebook.magic import JudgeMagic
from practice.grader.report import CaseResult, Finding, Report, Verdict
from practice.grader.tell.notebook import render_notebook, render_progress

ROOT = Path(__file__).resolve().parents[2]
EVICT = ROOT / "practice/exercises/evict_sinks"
REFERENCE = (EVICT / "reference.py").read_text(encoding="utf-8")
WRONG = (EVICT / "mutants/plain_window.py").read_text(encoding="utf-8")
PLAIN_WINDOW = "This is the plain sliding window"
LOOP = "while True: pass\n"


class Shell:
    """An IPython shell without a kernel, as far as the magic knows it."""

    def __init__(self) -> None:
        self.ran: list[str] = []

    def run_cell(self, cell: str, store_history: bool) -> None:
        self.ran.append(cell)


class Learner:
    """Runs `%%judge` in a copy of the course; what it printed is returned, and what it warned of is in `warned`."""

    def __init__(self, course: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.course, self.shell, self._capture, self.warned = course, Shell(), capture, ""
        self._magic = JudgeMagic(self.shell)

    def grade(self, line: str, cell: str) -> str:
        self._magic.grade(line, cell)
        printed, self.warned = self._capture.readouterr()
        return printed

    @property
    def answers(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in (self.course / "practice/answers").iterdir()}

    @property
    def record(self) -> dict[str, Any]:
        told = json.loads((self.course / "state/long-context-course/progress.json").read_text())
        return dict(told["exercises"]["evict_sinks"])


@pytest.fixture
def course(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(process, "ROOT", copy)
    monkeypatch.setattr(process, "DOOR", copy / "practice/judge.py")
    monkeypatch.setenv("XDG_STATE_HOME", str(copy / "state"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return copy


@pytest.fixture
def learner(course: Path, capsys: pytest.CaptureFixture[str]) -> Learner:
    return Learner(course, capsys)


def test_a_cell_is_saved_graded_remembered_and_run(learner: Learner) -> None:
    told = learner.grade("evict_sinks", WRONG)
    assert PLAIN_WINDOW in told
    assert "WRONG: 10 of 23 tests passed" in told
    assert "\x1b" not in told
    assert "python practice/judge.py hint evict_sinks" in told
    assert learner.answers == {"evict_sinks.py": WRONG}
    assert (learner.record["gradings"], learner.record["passed_at"]) == (1, "")
    told = learner.grade("evict_sinks --lang zh", REFERENCE)
    assert "PASS：23 个测试全部通过" in told
    assert learner.answers == {"evict_sinks.py": REFERENCE}
    assert learner.record["gradings"] == 2
    assert learner.record["passed_at"]
    assert learner.shell.ran == [WRONG, REFERENCE]
    assert learner.warned == ""


def test_what_ends_or_fails_in_the_sandbox_is_not_run_in_the_notebook(learner: Learner) -> None:
    told_of = {
        "1 / 0\n": "cell:2: ZeroDivisionError",
        "def evict_sinks(:\n": "cell:2: SyntaxError",
        "import os\nos.abort()\n": "CRASH",
        "import socket\nsocket.socket()\n": "cell:3:",
        "def other(): ...\n": "defines no function",
        (EVICT / "starter.py").read_text().replace("budget:", "B:"): "not written yet",
    }
    for cell, told in told_of.items():
        assert told in learner.grade("evict_sinks", cell)
    assert learner.shell.ran == []


def test_an_answer_of_anothers_hand_is_kept_once(learner: Learner) -> None:
    (learner.course / "practice/answers").mkdir()
    (learner.course / "practice/answers/evict_sinks.py").write_text("by hand\n")
    told = [learner.grade("evict_sinks", source) for source in (WRONG, REFERENCE)]
    assert ["evict_sinks.py.bak-1" in each for each in told] == [True, False]
    assert learner.answers == {"evict_sinks.py": REFERENCE, "evict_sinks.py.bak-1": "by hand\n"}


def test_the_starter_is_not_kept(learner: Learner) -> None:
    (learner.course / "practice/answers").mkdir()
    (learner.course / "practice/answers/evict_sinks.py").write_bytes((EVICT / "starter.py").read_bytes())
    learner.grade("evict_sinks", REFERENCE)
    assert learner.answers == {"evict_sinks.py": REFERENCE}


def test_a_whole_chapter_may_be_run(learner: Learner) -> None:
    """Its exercises' cells, untouched, neither replace an answer nor count as a try."""
    starter = (EVICT / "starter.py").read_text().strip()
    assert (
        learner.grade("evict_sinks", starter)
        == "This is the starter still: write the function in this cell and run it again.\n"
    )
    assert not (learner.course / "practice/answers").exists()
    learner.grade("evict_sinks", REFERENCE)
    assert "里的答案保持不变" in learner.grade("evict_sinks --lang zh", starter)
    assert learner.answers == {"evict_sinks.py": REFERENCE}
    assert learner.record["gradings"] == 1
    assert learner.shell.ran == [REFERENCE]


def test_what_cannot_be_graded_is_one_line(learner: Learner) -> None:
    asked = {
        ("evict_snks", REFERENCE): "did you mean evict_sinks",
        ("evict_sinks", " \n"): "cell is empty",
        ("evict_sinks --lang=zh", ""): "单元格是空的",
        ("", REFERENCE): "%%judge ID",
        ("evict_sinks --lang de", REFERENCE): "%%judge ID",
    }
    for (line, cell), told in asked.items():
        assert learner.grade(line, cell) == ""
        assert told in learner.warned
        assert learner.warned.count("\n") == 1
    assert not (learner.course / "practice/answers").exists()
    assert not (learner.course / "state").exists()


def test_without_torch_one_line_says_what_to_run(learner: Learner, monkeypatch: pytest.MonkeyPatch) -> None:
    bare = learner.course / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S -E "$@"\n')
    bare.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(bare))
    learner._magic._judge = process.JudgeProcess()
    assert learner.grade("evict_sinks", REFERENCE) == ""
    assert "has no torch" in learner.warned
    assert learner.warned.count("\n") == 1


def test_a_judge_that_died_is_told_and_started_again(learner: Learner) -> None:
    learner._magic._judge._process.kill()
    learner._magic._judge._process.wait()
    assert "PASS" in learner.grade("evict_sinks", REFERENCE)
    (learner.course / "practice/grader/commands/cells.py").write_text("raise RuntimeError('broken')\n")
    learner._magic._judge._process.kill()
    learner._magic._judge._process.wait()
    learner.grade("evict_sinks", REFERENCE)
    assert "RuntimeError: broken" in learner.warned
    assert learner.warned.count("\n") == 1


def test_what_was_left_early_answers_nothing_else(learner: Learner) -> None:
    asked = learner._magic._judge
    request = {"do": "grade", "exercise": "evict_sinks", "lang": "en"}
    assert next(asked.ask(**request, source=REFERENCE))["event"] == "case"
    assert not asked.alive
    assert "PASS" not in learner.grade("evict_sinks", WRONG)


def test_a_line_that_is_no_request_ends_the_judge(course: Path) -> None:
    asked = process.JudgeProcess()
    asked._requests.write("not JSON\n")
    asked._requests.flush()
    wait_until(lambda: not asked.alive)


def test_progress_that_cannot_be_kept_is_told(learner: Learner) -> None:
    (learner.course / "state").write_text("a file where the folder should be")
    assert "PASS" in learner.grade("evict_sinks", REFERENCE)
    assert "cannot be kept" in learner.warned
    assert learner.warned.count("\n") == 1


def test_an_old_python_says_so_instead_of_failing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("practice.judge.what_is_missing", lambda _: "version")
    door.load_ipython_extension(object())
    assert "3.11" in capsys.readouterr().err


def test_the_door_knows_the_magic_and_help_does_not_show_serve(judge: Callable[..., Any]) -> None:
    names = {node.name for node in ast.parse((ROOT / "judge.py").read_text()).body if isinstance(node, ast.FunctionDef)}
    assert "load_ipython_extension" in names
    status, out, _ = judge("--help")
    assert (status, "serve" in out) == (0, False)


HOSTILE = '<script>alert("x")</script>\x1b[31m'


def test_text_of_an_answer_is_shown_and_does_nothing() -> None:
    card = find_card("evict_sinks")
    finding = Finding(
        *(Verdict.ERROR, "exception", {"place": "cell:2", "type": HOSTILE, "message": HOSTILE}),
        expected=HOSTILE,
        got=HOSTILE[::-1],
        traceback=HOSTILE,
    )
    name = {"en": "a test", "zh": "一个测试"}
    results = (CaseResult(name, finding, 1.0, 1, HOSTILE), CaseResult({"en": "other", "zh": "另一个"}, None))
    report = Report(*("evict_sinks", "cell", results, (), 0.0, 0), printed=HOSTILE, printed_bytes=9, printed_shown=9)
    told = render_notebook(report, card, "zh", [HOSTILE])
    assert "<script" not in told
    assert "\x1b" not in told
    assert told.count("&lt;script&gt;") >= 5
    assert "一个测试" in told
    progress = render_progress(card, [result.name for result in results], {"a test": results[0]}, "en")
    assert (progress.count("✗"), progress.count("·</span>")) == (1, 1)


EVENT = {"event": "report", "html": "", "text": "", "hints": "", "button": "Hint 1 of 3", "following": "judge.py hint"}


def test_without_ipywidgets_the_command_for_a_hint_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    page.NotebookPage(lambda: None).show(EVENT)
    assert "judge.py hint" in capsys.readouterr().out


class Kernel:
    """A real kernel, in which `judge` is that of a copy of the course."""

    def __init__(self, course: Path) -> None:
        first = f"import sys\nsys.path.insert(0, {str(course)!r})\n%load_ext judge"
        self.notebook = new_notebook(cells=[new_code_cell(first)])
        self.client = NotebookClient(self.notebook, timeout=60, store_widget_state=False)
        self.messages: list[dict[str, Any]] = []

    def run(self, source: str) -> list[Any]:
        """The outputs of a cell, as they would be stored."""
        self.notebook.cells.append(new_code_cell(source))
        self.client.execute_cell(self.notebook.cells[-1], len(self.notebook.cells) - 1)
        return list(self.notebook.cells[-1].outputs)


@pytest.fixture
def kernel(course: Path) -> Iterator[Kernel]:
    started = Kernel(course)
    with started.client.setup_kernel():
        started.client.execute_cell(started.notebook.cells[0], 0)
        yield started


def test_a_kernel_stores_the_result_and_cannot_bend_the_ruler(kernel: Kernel, course: Path) -> None:
    kernel.run(
        "import torch\ntorch.equal = torch.allclose = lambda *_, **__: True\ntorch.Tensor.__eq__ = lambda a, b: True"
    )
    page_shown, hints, button = kernel.run(f"%%judge evict_sinks\n{WRONG}")
    assert PLAIN_WINDOW in page_shown.data["text/html"]
    assert "WRONG: 10 of 23 tests passed" in page_shown.data["text/plain"]
    assert hints.data["text/markdown"] == ""
    assert "application/vnd.jupyter.widget-view+json" in button.data
    (name,) = kernel.run("evict_sinks.__name__")
    assert name.data["text/plain"] == "'evict_sinks'"
    (only,) = kernel.run(f"%%judge evict_sinks\n{REFERENCE}")
    assert "PASS" in only.data["text/html"]
    nbformat.validate(kernel.notebook)


def processes(course: Path) -> set[int]:
    """The judge's processes of a course: the one that serves, and those that run answers."""
    found = set()
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # ended meanwhile
            if f"{course}/practice/".encode() in (folder / "cmdline").read_bytes():
                found.add(int(folder.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_the_map_can_be_asked_for_first_and_again(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(course / "state"))
    asked = "%reload_ext judge\n%judge_progress 01 --lang en"
    started = Kernel(course)
    started.notebook.cells[0].source = f"import sys\nsys.path.insert(0, {str(course)!r})"
    with started.client.setup_kernel():
        started.client.execute_cell(started.notebook.cells[0], 0)
        for _ in range(2):
            (told,) = started.run(asked)
            assert "0 of 16 exercises passed" in told.data["text/html"]
        running = processes(course)
        assert len([pid for pid in running if parent(pid) not in running]) == 1  # of which the others are


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


@pytest.fixture
def patient(course: Path) -> Path:
    """The course, in which an endless loop ends only after minutes."""
    card = course / "practice/exercises/evict_sinks/card.toml"
    card.write_text(card.read_text().replace("time_limit = 3.0", "time_limit = 100.0"))
    return course


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
@pytest.mark.parametrize("interrupt", ["os.killpg(os.getpgrp(), signal.SIGINT)", "_thread.interrupt_main()"])
def test_an_interrupt_ends_the_grading_and_no_more(patient: Path, kernel: Kernel, interrupt: str) -> None:
    before = processes(patient)
    kernel.run(
        "import _thread, os, pathlib, signal, threading, time\n"
        "def interrupt():\n"
        f"    while not pathlib.Path({str(patient / 'practice/answers/evict_sinks.py')!r}).exists(): time.sleep(0.01)\n"
        f"    time.sleep(0.5); {interrupt}\n"
        "threading.Thread(target=interrupt).start()"
    )
    (told,) = kernel.run(f"%%judge evict_sinks\n{LOOP}")
    assert (told.name, told.text.count("\n")) == ("stderr", 1)
    assert "stopped" in told.text
    wait_until(lambda: not before & processes(patient))
    assert not (patient / "state").exists()
    (told,) = kernel.run(f"%%judge evict_sinks\n{REFERENCE}")
    assert "PASS" in told.data["text/html"]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for processes in /proc")
def test_the_judge_ends_with_a_kernel_that_is_killed(patient: Path) -> None:
    request = {"do": "grade", "exercise": "evict_sinks", "lang": "en", "source": LOOP}
    asking = f"from practice.grader.notebook.process import JudgeProcess; list(JudgeProcess().ask(**{request}))"
    kernel = subprocess.Popen([sys.executable, "-c", asking], cwd=patient)
    wait_until((patient / "practice/answers/evict_sinks.py").exists)
    assert processes(patient)
    kernel.kill()
    kernel.wait()
    wait_until(lambda: not processes(patient))
    assert not (patient / "state").exists()
