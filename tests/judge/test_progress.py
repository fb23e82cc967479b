"""The record of progress: nothing that was kept is lost, whoever writes, dies or scribbles in it."""

import json
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from practice.grader.progress import ProgressFile, Record, progress_path

ROOT = Path(__file__).resolve().parents[2]
WRITER = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
from practice.grader.progress import ProgressFile
file = ProgressFile(Path(sys.argv[1]), moved=print)
while True:
    for exercise in ("shared", sys.argv[2]):
        file.update(exercise, lambda record: record.graded(passed=True))
        print(exercise, flush=True)
"""


def start_writer(path: Path, exercise: str, log: Path) -> "subprocess.Popen[bytes]":
    with log.open("ab") as stream:
        return subprocess.Popen([sys.executable, "-c", WRITER, path, exercise], stdout=stream)


@contextmanager
def watched(path: Path) -> Iterator[list[str]]:
    """Reads the file all the while, and lists what was wrong with it."""
    wrong: list[str] = []
    over = threading.Event()

    def read() -> None:
        last = 0
        while not over.wait(0.002):
            try:
                told = json.loads(path.read_bytes())["exercises"]["shared"]["gradings"]
            except FileNotFoundError:
                told = 0
            except (ValueError, KeyError) as error:
                wrong.append(repr(error))
                continue
            if told < last:
                wrong.append(f"{told} after {last}")
            last = told

    reader = threading.Thread(target=read)
    reader.start()
    yield wrong
    over.set()
    reader.join()


def test_killed_writers_lose_nothing_that_they_reported(tmp_path: Path) -> None:
    path, logs = tmp_path / "state/progress.json", [tmp_path / f"log-{slot}" for slot in range(3)]
    moments, kills = random.Random(1), [0, 0, 0]

    def reported(exercise: str) -> int:
        return sum(log.read_text().split().count(exercise) for log in logs if log.exists())

    def keep_killing(slot: int) -> None:
        while reported("shared") < 550 and kills[slot] < 100:
            writer = start_writer(path, f"own-{slot}", logs[slot])
            time.sleep(0.15 + moments.uniform(0, 0.35))
            writer.kill()
            writer.wait()
            kills[slot] += 1

    with watched(path) as wrong:
        killers = [threading.Thread(target=keep_killing, args=(slot,)) for slot in range(3)]
        for thread in killers:
            thread.start()
        for thread in killers:
            thread.join()
    records = ProgressFile(path, moved=lambda aside: wrong.append(str(aside))).read()
    assert wrong == []
    assert sum(reported(exercise) for exercise in records) >= 1000
    for exercise, most_kills in [("shared", sum(kills)), *((f"own-{slot}", kills[slot]) for slot in range(3))]:
        assert reported(exercise) <= records[exercise].gradings <= reported(exercise) + most_kills


def test_a_writer_killed_in_mid_update_leaves_no_lock_and_no_half(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    file = ProgressFile(path, moved=pytest.fail)
    file.update("mine", lambda record: record.graded(passed=False))
    stuck = f"""
import os, sys, time
sys.path.insert(0, {str(ROOT)!r})
from practice.grader.progress import ProgressFile, Path
os.fsync = lambda _: (print("written", flush=True), time.sleep(60))
ProgressFile(Path({str(path)!r}), print).update("mine", lambda record: record.graded(passed=True))
"""
    with subprocess.Popen([sys.executable, "-c", stuck], stdout=subprocess.PIPE) as writer:
        assert writer.stdout
        assert writer.stdout.readline() == b"written\n"
        writer.kill()
    assert file.read() == {"mine": Record(gradings=1)}
    assert file.update("mine", lambda record: record.graded(passed=False)) == Record(gradings=2)


def test_the_first_pass_is_the_one_remembered() -> None:
    passed = Record().graded(passed=False).graded(passed=True)
    assert passed.gradings == 2
    assert passed.passed_at.endswith("+00:00")
    later = Record(passed_at="2020-01-01T00:00:00+00:00").graded(passed=True).graded(passed=False)
    assert later == Record(gradings=2, passed_at="2020-01-01T00:00:00+00:00")


NEWER = '{"format": 2, "exercises": {}}'
RECORD = '{"gradings": 1, "passed_at": "", "hints": 0, "revealed": false}'


@pytest.mark.parametrize(
    "content",
    [
        "",
        "\0" * 100,
        "{",
        "[]",
        "null",
        "[" * 100_000,
        '{"format": 1}',
        '{"format": 1, "exercises": [1]}',
        '{"format": 1, "exercises": {"a": {"gradings": "many"}}}',
        '{"format": 1, "exercises": {"a": {"stars": 5}}}',
        '{"format": 1, "exercises": {"a": ' + RECORD.replace("false", "0") + "}}",
        NEWER,
    ],
)
def test_what_is_not_understood_is_kept_aside(tmp_path: Path, content: str) -> None:
    path, moved = tmp_path / "progress.json", list[Path]()
    file = ProgressFile(path, moved.append)
    path.write_text(content)
    assert file.read() == {}
    path.write_text(NEWER)
    file.update("mine", lambda record: record.graded(passed=False))
    assert file.read() == {"mine": Record(gradings=1)}
    assert [aside.name for aside in moved] == ["progress.json.broken", "progress.json.broken-2"]
    assert [aside.read_text() for aside in moved] == [content, NEWER]


def test_other_exercises_are_carried_along(tmp_path: Path) -> None:
    path = tmp_path / "progress.json"
    path.write_text(f'{{"format": 1, "exercises": {{"of another version": {RECORD}}}}}')
    file = ProgressFile(path, moved=pytest.fail)
    file.update("mine", lambda record: record.graded(passed=False))
    assert file.read() == {"of another version": Record(gradings=1), "mine": Record(gradings=1)}


def test_it_lies_outside_the_tree(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert progress_path().is_relative_to(tmp_path)
    for value in ("", "relative/folder"):
        monkeypatch.setenv("XDG_STATE_HOME", value)
        assert progress_path().is_absolute()
        assert not progress_path().is_relative_to(ROOT)
