"""The commands that help a learner on: watch, hint, reveal, reset, status; as the real command, with a real record."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from practice.grader.catalogue import all_cards
from practice.grader.lessons import HINTS, read_hints, read_mistakes
from practice.grader.tell.messages import LANGUAGES

ROOT = Path(__file__).resolve().parents[2]
EVICT = ROOT / "practice/exercises/evict_sinks"
Outcome = tuple[int, str, str]
Run = Callable[..., Outcome]


@pytest.fixture
def here(judge: Run, copy: Path) -> Run:
    """here(*arguments) runs the judge of a fresh copy of the course, with a fresh record of progress."""

    def run(*arguments: object, **environment: str) -> Outcome:
        return judge(*arguments, door=copy / "judge.py", **{"XDG_STATE_HOME": str(copy / "state"), **environment})

    return run


def record(copy: Path, exercise: str) -> dict[str, Any]:
    told = json.loads((copy / "state/long-context-course/progress.json").read_text())
    return dict(told["exercises"][exercise])


def write_record(copy: Path, exercise: str, **fields: object) -> None:
    path = copy / "state/long-context-course/progress.json"
    path.parent.mkdir(parents=True)
    told = {"gradings": 0, "passed_at": "", "hints": 0, "revealed": False} | fields
    path.write_text(json.dumps({"format": 1, "exercises": {exercise: told}}))


def test_run_is_remembered(here: Run, copy: Path) -> None:
    assert here("run", "evict_sinks", EVICT / "starter.py")[0] == 1
    assert not (copy / "state").exists()  # nothing is tried where nothing is written
    assert here("run", "evict_sinks", EVICT / "mutants/overlap.py")[0] == 1
    assert (record(copy, "evict_sinks")["gradings"], record(copy, "evict_sinks")["passed_at"]) == (1, "")
    assert here("run", "evict_sinks", EVICT / "reference.py")[0] == 0
    assert record(copy, "evict_sinks")["gradings"] == 2
    assert record(copy, "evict_sinks")["passed_at"]


def test_a_grading_that_failed_is_no_grading(here: Run, copy: Path) -> None:
    (copy / "practice/exercises/evict_sinks/cases.py").write_text("raise RuntimeError\n")
    assert here("run", "evict_sinks", EVICT / "reference.py")[0] == 3
    assert not (copy / "state").exists()


def test_grading_goes_on_where_progress_cannot_be_kept(here: Run, copy: Path) -> None:
    (copy / "state").write_text("a file where the folder should be")
    status, out, err = here("run", "evict_sinks", EVICT / "reference.py", "--json")
    assert (status, json.loads(out)["verdict"]) == (0, "PASS")
    assert err.count("\n") == 1
    assert "cannot be kept" in err
    assert here("hint", "evict_sinks")[0] == 0
    status, out, err = here("status", "--lang", "zh")
    assert (status, "无法保存" in err, f"0/{len(all_cards())} " in out) == (0, True, True)


def test_a_broken_record_is_kept_and_told(here: Run, copy: Path) -> None:
    write_record(copy, "evict_sinks", gradings="many")
    status, _, err = here("status")
    assert status == 0
    assert "progress.json.broken" in err
    assert "many" in (copy / "state/long-context-course/progress.json.broken").read_text()


def test_hints_open_one_at_a_time(here: Run, copy: Path) -> None:
    for number in (1, 2, 3, 3):
        status, out, _ = here("hint", "evict_sinks", LANG="zh_CN.UTF-8")
        assert (status, out.count("\n提示 ") + out.startswith("提示 ")) == (0, number)
        assert ("三条提示已全部打开" in out) == (number == 3)
        assert record(copy, "evict_sinks")["hints"] == number
    _, out, _ = here("hint", "evict_sinks", "--lang", "en")
    assert "torch.arange(...)" in out
    assert "All three hints are open" in out


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.id)
def test_every_exercise_has_three_hints_that_stop_short_of_the_answer(card: Any, lang: str) -> None:
    hints = read_hints(card, lang)
    assert len(hints) == HINTS
    assert all(hint.title and hint.text for hint in hints)
    assert [("```python" in hint.text, "..." in hint.text) for hint in hints] == [(False, False)] * 2 + [(True, True)]
    told = {line.strip() for line in hints[-1].text.splitlines()}
    assert not {line.strip() for line in (card.folder / "reference.py").read_text().splitlines()[-4:]} <= told


def test_reveal_wants_a_try_first(here: Run, copy: Path) -> None:
    status, out, err = here("reveal", "evict_sinks")
    assert (status, out) == (2, "")
    assert f"python {copy}/practice/judge.py run evict_sinks" in err
    assert "newest = S" not in err


@pytest.mark.parametrize(("lang", "own"), [("en", "cheats only himself"), ("zh", "照抄骗的只是自己")])
def test_reveal_shows_the_reference_then_the_mistakes(here: Run, copy: Path, lang: str, own: str) -> None:
    write_record(copy, "quest_select", gradings=1)
    status, out, err = here("reveal", "quest_select", "--lang", lang)
    assert (status, err) == (0, "")
    folder = copy / "practice/exercises/quest_select"
    assert (folder / "reference.py").read_text() in out
    after = out[out.index("repeat_interleave(page, dim=1)[:, :S]") :]
    for mutant in folder.glob("mutants/*.py"):
        told = mutant.read_text(encoding="utf-8").split(f"{lang}: ")[1].split("\n")[0]
        assert told in after
    assert "+ best = bounds.topk(budget // page, dim=-1).indices" in after
    assert out.count(own) == 1
    assert record(copy, "quest_select")["revealed"] is True
    assert record(copy, "quest_select")["gradings"] == 1


@pytest.mark.parametrize("card", all_cards(), ids=lambda card: card.id)
def test_every_mistake_shows_its_code(card: Any) -> None:
    mistakes = read_mistakes(card)
    assert len({mistake.misconception.id for mistake in mistakes}) == len(mistakes) >= 5
    assert all(mistake.code for mistake in mistakes)
    assert all(set(mistake.misconception.text) == set(LANGUAGES) for mistake in mistakes)


def test_reset_keeps_every_backup(here: Run, copy: Path) -> None:
    answer = copy / "practice/answers/evict_sinks.py"
    assert here("reset", "evict_sinks", "--yes")[0] == 2
    here("start", "evict_sinks")
    starter = answer.read_text()
    for number in (1, 2, 3):
        answer.write_text(f"try {number}")
        status, out, _ = here("reset", "evict_sinks", "--yes")
        assert (status, answer.read_text()) == (0, starter)
        assert f"evict_sinks.py.bak-{number}" in out
    assert [answer.with_name(f"evict_sinks.py.bak-{number}").read_text() for number in (1, 2, 3)] == [
        "try 1",
        "try 2",
        "try 3",
    ]
    assert len(list(answer.parent.iterdir())) == 4


def test_reset_without_a_terminal_does_nothing(here: Run, copy: Path) -> None:
    here("start", "evict_sinks")
    (copy / "practice/answers/evict_sinks.py").write_text("mine")
    status, out, err = here("reset", "evict_sinks")
    assert (status, out) == (2, "")
    assert "--yes" in err
    assert [path.read_text() for path in (copy / "practice/answers").iterdir()] == ["mine"]


@pytest.mark.parametrize(("reply", "status", "left"), [("y\n", 0, 2), ("\n", 1, 1), ("no\n", 1, 1), ("\x04", 1, 1)])
def test_reset_asks_on_a_terminal(here: Run, copy: Path, reply: str, status: int, left: int) -> None:
    pty = pytest.importorskip("pty")
    here("start", "evict_sinks")
    keyboard, terminal = pty.openpty()
    os.write(keyboard, reply.encode())
    command = [sys.executable, copy / "judge.py", "reset", "evict_sinks"]
    done = subprocess.run(command, stdin=terminal, capture_output=True, timeout=60, check=False)
    os.close(terminal)
    os.close(keyboard)
    assert done.returncode == status
    assert b"[y/N]" in done.stdout
    assert len(list((copy / "practice/answers").iterdir())) == left


def test_status_counts_by_chapter_and_suggests_the_next(here: Run, copy: Path) -> None:
    for folder in (copy / "practice/exercises").iterdir():
        if folder.name not in ("evict_sinks", "quest_select", "quest_attention"):
            shutil.rmtree(folder)
    _, out, _ = here("status")
    assert "start evict_sinks" in out.splitlines()[-1]
    write_record(copy, "evict_sinks", gradings=3, passed_at="2026-01-01T00:00:00+00:00", hints=2)
    here("start", "quest_select")
    status, out, _ = here("status")
    rows = [line.split() for line in out.splitlines()]
    assert status == 0
    assert ["03", f"[{'#' * 20}]", "1/1", "2/3"] in rows
    assert ["04", f"[{'.' * 20}]", "0/2", "0/6"] in rows
    assert ["all", f"[{'#' * 6}{'.' * 14}]", "1/3", "2/9"] in rows
    assert "run quest_select" in out.splitlines()[-1]


def test_two_clones_share_progress(here: Run, copy: Path, judge: Run) -> None:
    here("hint", "quest_select")
    _, out, _ = judge("status", XDG_STATE_HOME=str(copy / "state"))
    assert f" 1/{HINTS * len(all_cards())}\n" in out


class Watching:
    """A `watch` that runs, and what it prints."""

    def __init__(self, copy: Path, *arguments: str) -> None:
        command = [sys.executable, "-u", copy / "judge.py", "watch", *arguments]
        environment = {**os.environ, "XDG_STATE_HOME": str(copy / "state"), "LANG": "C"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        self._alarm = threading.Timer(60, self.process.kill)
        self._alarm.start()

    def until(self, end: str) -> str:
        """What is printed up to the first line with `end` in it."""
        assert self.process.stdout
        told = ""
        for line in self.process.stdout:
            told += line.decode()
            if end in line.decode():
                return told
        raise AssertionError(told)

    def interrupt(self) -> int:
        self.process.send_signal(signal.SIGINT)
        with self.process:
            self.process.communicate()
        self._alarm.cancel()
        return self.process.returncode


def test_watch_grades_whatever_is_saved(here: Run, copy: Path) -> None:
    for card in all_cards():
        here("start", card.id)
    evict, quest = (copy / f"practice/answers/{exercise}.py" for exercise in ("evict_sinks", "quest_select"))
    watching = Watching(copy)
    head = watching.until("Ctrl-C")
    assert str(evict) in head
    assert str(quest) in head
    renamed = evict.with_name(".evict_sinks.py.swp")
    shutil.copy(EVICT / "reference.py", renamed)
    renamed.replace(evict)  # as many editors save
    page = watching.until("tests passed")
    assert f"{evict} was saved" in page
    assert page.splitlines()[-1].startswith("PASS")
    assert "quest" not in page
    quest.write_text("def (")
    page = watching.until("tests passed")
    assert f"{quest} was saved" in page
    assert "SyntaxError" in page
    assert page.splitlines()[-1].startswith("ERROR")
    assert watching.interrupt() == 130
    assert record(copy, "evict_sinks")["passed_at"]
    assert record(copy, "quest_select")["passed_at"] == ""


def test_watch_sees_the_save_that_came_while_it_graded(here: Run, copy: Path) -> None:
    here("start", "evict_sinks")
    answer = copy / "practice/answers/evict_sinks.py"
    watching = Watching(copy, "evict_sinks")
    assert str(answer) in watching.until("Ctrl-C")
    answer.write_text("import time\ntime.sleep(1)\n1 / 0\n")
    watching.until("was saved")
    shutil.copy(EVICT / "reference.py", answer)
    assert "ZeroDivisionError" in watching.until("tests passed")
    assert watching.until("tests passed").splitlines()[-1].startswith("PASS")
    answer.write_text("while True: pass\n")
    watching.until("was saved")
    assert watching.interrupt() == 130


@pytest.mark.parametrize("arguments", [["watch"], ["watch", "evict_sinks"]])
def test_watch_wants_an_answer(here: Run, arguments: list[str]) -> None:
    status, out, err = here(*arguments)
    assert (status, out) == (2, "")
    assert f"start {[all_cards()[0].id, *arguments[1:]][-1]}" in err
