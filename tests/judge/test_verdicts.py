"""Grading in a real process: what it leaves behind, what the answer sees, whose fault is whose.

What an answer may try, and the verdict on it, is the matter of tests/attacks.
"""

import dataclasses
import gc
import os
import threading
import time
from pathlib import Path

import pytest

from practice.grader.catalogue import find_card
from practice.grader.isolate import forking, group, launch, spare
from practice.grader.report import Verdict
from practice.grader.tell.messages import sentence
from practice.grader.verify.verifier import grade

_, PASS, WRONG, CONTRACT, ERROR, MEMORY, TIME, POLICY, CRASH, UNGRADED = Verdict
DEF = "def evict_sinks(k, v, positions, budget, sinks):\n    "
HOLDS_THE_PIPES = (
    "import os, subprocess\n    child = subprocess.Popen(['sleep', '600'], close_fds=False)\n"
    "    os.symlink('x', f'{PIDS}/{child.pid}'); return right(k, v, positions, budget, sinks)"
)
DAEMON = (
    "import os, time\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n"
    "            os.symlink('x', f'{PIDS}/{os.getpid()}')\n            time.sleep(600)\n        os._exit(0)\n"
    "    time.sleep(0.05)\n    return right(k, v, positions, budget, sinks)"
)
BOTH = (False, True)  # portable


def around(right_answer: str, body: str, pids: Path) -> bytes:
    """The source of an answer with this body."""
    return f"{DEF}{body}\n\n{right_answer}\nPIDS = {str(pids)!r}\n".encode()


@pytest.mark.parametrize("portable", BOTH)
def test_nothing_runs_after_a_fatal_verdict(portable: bool) -> None:
    source = f"{DEF}while True: pass".encode()
    hurried = dataclasses.replace(find_card("evict_sinks"), time_limit=0.6)
    results = grade(hurried, source, "answer.py", portable=portable).results
    verdicts = sorted(result.verdict for result in results)
    assert verdicts == sorted([Verdict.NOT_RUN] * (len(results) - 1) + [TIME])


@pytest.mark.parametrize("body", [HOLDS_THE_PIPES, DAEMON], ids=["holds the pipes", "a daemon"])
def test_nothing_is_left_running(right_answer: str, tmp_path: Path, body: str) -> None:
    report = grade(find_card("evict_sinks"), around(right_answer, body, tmp_path), "answer.py", portable=True)
    assert report.verdict is PASS, report
    started = os.listdir(tmp_path)
    assert started
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []


def test_an_answer_that_forks_and_returns_twice_crashes(right_answer: str, tmp_path: Path) -> None:
    source = around(right_answer, "import os; os.fork(); return right(k, v, positions, budget, sinks)", tmp_path)
    assert grade(find_card("evict_sinks"), source, "answer.py", portable=True).verdict is CRASH


@pytest.mark.parametrize("portable", BOTH)
def test_printed_output_is_kept_in_part(right_answer: str, tmp_path: Path, portable: bool) -> None:
    printing = "print('x' * (20 << 20 if k.shape[2] == 12 else 1)); return right(k, v, positions, budget, sinks)"
    report = grade(find_card("evict_sinks"), around(right_answer, printing, tmp_path), "answer.py", portable=portable)
    assert report.verdict is PASS
    assert report.printed_bytes > 20 << 20
    assert len(report.printed) == launch.PRINTED_LIMIT


@pytest.mark.parametrize("portable", BOTH)
def test_isolation_is_named(right_answer: str, portable: bool) -> None:
    source = right_answer.replace("def right(", "def evict_sinks(").encode()
    layers = grade(find_card("evict_sinks"), source, "answer.py", portable=portable).isolation
    own = {"scratch-directory", "process-group-kill", "orphan-reaper"} if portable else {"zygote", "seccomp"}
    assert {"process", "data-only-wire", "wall-clock", "clean-environment", *own} <= set(layers)
    assert len(set(layers)) == len(layers)


@pytest.mark.filterwarnings("error")  # a pipe or a folder left to the garbage collector warns
@pytest.mark.parametrize("portable", BOTH)
def test_a_grading_leaves_no_descriptor_thread_or_folder(
    right_answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portable: bool
) -> None:
    forking.zygote()
    spare.end_waiting()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    litter = """
import contextlib, os
with contextlib.suppress(PermissionError):
    for _ in range(3000): os.mkdir('d'); os.chdir('d')
    open('litter', 'w')
"""
    source = f"{right_answer}\nevict_sinks = right\n{litter}".encode()
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    assert grade(find_card("evict_sinks"), source, "answer.py", portable=portable).verdict is PASS
    gc.collect()
    end = time.monotonic() + 5
    while threading.active_count() > before[1] and time.monotonic() < end:
        time.sleep(0.01)
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("portable", BOTH)
def test_the_answer_sees_a_clean_place(right_answer: str, monkeypatch: pytest.MonkeyPatch, portable: bool) -> None:
    monkeypatch.setenv("SECRET_OF_THE_JUDGE", "42")
    looks = """
import importlib.util, os, sys
assert "SECRET_OF_THE_JUDGE" not in os.environ
assert importlib.util.find_spec("wire") is None
assert os.environ["HOME"] == os.getcwd()
assert sys.stdin.read() == ""
assert __file__ == "answer.py"
assert os.getpid() == os.getpgid(0) == os.getsid(0)
evict_sinks = right
"""
    looks += "assert os.listdir() == []" if portable else ""  # a forked child may not look
    report = grade(find_card("evict_sinks"), f"{right_answer}\n{looks}".encode(), "answer.py", portable=portable)
    assert report.verdict is PASS, report


@pytest.mark.parametrize("portable", BOTH)
def test_a_child_that_cannot_start_is_the_judges_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, portable: bool
) -> None:
    broken = tmp_path / "child.py"
    broken.write_text("raise SystemExit('no torch here')")
    forking.end_zygote()
    spare.end_waiting()
    monkeypatch.setattr(forking, "SCRIPT", broken)
    monkeypatch.setattr(spare, "SCRIPT", broken)
    report = grade(find_card("evict_sinks"), b"", "answer.py", portable=portable)
    forking.end_zygote()
    assert report.verdict is UNGRADED
    assert report.fault
    assert "no torch here" in sentence("en", report.fault)


@pytest.mark.parametrize("portable", BOTH)
def test_cpu_time_decides_before_the_clock(monkeypatch: pytest.MonkeyPatch, portable: bool) -> None:
    monkeypatch.setattr(launch.Limits, "wall_seconds", 50.0)
    hurried = dataclasses.replace(find_card("evict_sinks"), time_limit=0.6)
    report = grade(hurried, f"{DEF}while True: pass".encode(), "answer.py", portable=portable)
    assert report.verdict is TIME
    assert report.seconds < 30


def test_the_group_is_killed_where_orphans_cannot_be_found(
    right_answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "_processes", lambda: iter(()))
    source = around(right_answer, HOLDS_THE_PIPES, tmp_path)
    assert grade(find_card("evict_sinks"), source, "answer.py", portable=True).verdict is PASS
    for pid in os.listdir(tmp_path):
        stat = Path(f"/proc/{pid}/stat")
        assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] in "ZX"
