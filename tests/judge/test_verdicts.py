"""Hostile answers in a real process: the verdict fits, the judge lives, and nothing is left behind."""

import dataclasses
import gc
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import pytest

from practice.grader.catalogue import find_card
from practice.grader.isolate import group, launch
from practice.grader.report import Report, Verdict
from practice.grader.tell.messages import sentence
from practice.grader.verify.verifier import grade

_, PASS, WRONG, CONTRACT, ERROR, MEMORY, TIME, POLICY, CRASH, UNGRADED = Verdict
DEF = "def evict_sinks(k, v, positions, budget, sinks):\n    "
LIMIT = 0.6
Graded = dict[str, tuple[Future[Report], Path]]
TO_EVERY_DESCRIPTOR = (
    "import os, struct\n    for fd in range(3, 64):\n        try: os.write(fd, {junk})\n        except OSError: pass\n"
)
HOSTILE = {
    "right": ("return right(k, v, positions, budget, sinks)", {PASS}, ""),
    "an endless loop": ("while True: pass", {TIME}, "0.6 s of CPU time"),
    "a loop that swallows everything": (
        "while True:\n        try: 1 / 0\n        except BaseException: pass",
        {TIME},
        "",
    ),
    "ignores signals": (
        "import signal\n    for s in set(signal.Signals) - {9, 19}: signal.signal(s, signal.SIG_IGN)\n"
        "    while True: pass",
        {TIME},
        "",
    ),
    "sleeps": ("import time; time.sleep(3600)", {TIME}, "still running"),
    "stops itself": ("import os, signal; os.kill(os.getpid(), signal.SIGSTOP)", {TIME}, ""),
    "ever more tensors": (
        "hoard = []\n    while True: hoard.append(torch.empty(1 << 22))",
        {MEMORY},
        "answer.py:3: more memory than an answer may use (RuntimeError",
    ),
    "ever more bytes": ("return bytearray(1 << 31)", {MEMORY}, "MemoryError"),
    "a terabyte": ("return torch.empty(1 << 40, dtype=torch.uint8)", {MEMORY}, "answer.py:2"),
    "bottomless recursion": (
        "import sys; sys.setrecursionlimit(10**9)\n    def deeper(n): return deeper(n + 1) + [n]\n    return deeper(0)",
        {ERROR, CRASH, MEMORY, TIME},
        "",
    ),
    "threads for ever": (
        "import threading, time\n    while True: threading.Thread(target=time.sleep, args=(60,)).start()",
        {ERROR, CRASH, TIME, MEMORY},
        "",
    ),
    "os._exit": ("import os; os._exit(0)", {CRASH}, "exit status 0"),
    "right once, then os._exit": (
        "import os\n    if globals().get('seen'): os._exit(0)\n    globals()['seen'] = 1\n"
        "    return right(k, v, positions, budget, sinks)",
        {CRASH},
        "exit status 0",
    ),
    "a segmentation fault": ("import ctypes; ctypes.string_at(0)", {CRASH}, "SIGSEGV"),
    "a real-time signal": ("import os; os.kill(os.getpid(), 40)", {CRASH}, "signal 40"),
    "kills its group": ("import os; os.killpg(0, 9)", {CRASH}, "SIGKILL"),
    "closes every descriptor": ("import os; os.closerange(0, 256); return k, v, positions", {CRASH}, ""),
    "junk on every descriptor": (TO_EVERY_DESCRIPTOR.format(junk="b'x' * 99"), {CRASH}, ""),
    "a huge claim": (TO_EVERY_DESCRIPTOR.format(junk="struct.pack('<IQ', 2**31, 2**62)"), {CRASH}, "claims 2147483648"),
    "a forged frame": (
        TO_EVERY_DESCRIPTOR.format(junk="struct.pack('<IQ', 19, 0) + b'{\"kind\":\"returned\"}'")
        + "    return right(k, v, positions, budget, sinks)",
        {CRASH},
        "nobody asked",
    ),
    "a pickle": (
        "import pickle, os\n    class Bomb:\n        __reduce__ = lambda self: (os._exit, (0,))\n"
        "    for fd in range(3, 64):\n        try: os.write(fd, pickle.dumps(Bomb()))\n        except OSError: pass\n",
        {CRASH},
        "",
    ),
    "a flood": (
        "import os\n    while True:\n        for fd in range(3, 16):\n"
        "            try: os.write(fd, bytes(1 << 20))\n            except OSError: pass",
        {CRASH},
        "",
    ),
    "patches what it finds": (
        "import builtins, torch\n    builtins.isinstance = builtins.len = builtins.type = lambda *_: True\n"
        "    torch.equal = torch.allclose = torch.Tensor.__eq__ = torch.Tensor.__ne__ = lambda *_: True\n"
        "    return k * 0, v, positions",
        {WRONG, CONTRACT, ERROR, CRASH},
        "",
    ),
    "forks and both return": ("import os; os.fork(); return right(k, v, positions, budget, sinks)", {CRASH}, ""),
    "prints 20 MB": (
        "print('x' * (20 << 20 if k.shape[2] == 12 else 1)); return right(k, v, positions, budget, sinks)",
        {PASS},
        "",
    ),
    "a child that holds the pipes": (
        "import subprocess, sys\n    child = subprocess.Popen(['sleep', '600'], close_fds=False)\n"
        "    open(PIDS, 'a').write(f'{child.pid} '); return right(k, v, positions, budget, sinks)",
        {PASS},
        "",
    ),
    "a daemon": (
        "import os, time\n    if os.fork() == 0:\n        os.setsid()\n        if os.fork() == 0:\n"
        "            open(PIDS, 'a').write(f'{os.getpid()} ')\n            time.sleep(600)\n        os._exit(0)\n"
        "    time.sleep(0.05)\n    return right(k, v, positions, budget, sinks)",
        {PASS},
        "",
    ),
    "leaves a reply to atexit": (
        "import atexit, os\n    atexit.register(lambda: [os.write(fd, b'x') for fd in range(3, 9)]); raise SystemExit",
        {ERROR},
        "SystemExit",
    ),
}
AT_IMPORT = {
    "an endless import": ("while True: pass", {TIME}, "while importing"),
    "leaves at import": (
        "import os; os._exit(3)",
        {CRASH},
        "while importing: the process that ran the answer ended or",
    ),
}
ALL = {**HOSTILE, **AT_IMPORT}


@pytest.fixture(scope="module")
def graded(right_answer: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Graded]:
    """All hostile answers, graded by two threads while the tests look at one after another."""
    card = find_card("evict_sinks")
    hurried = dataclasses.replace(card, time_limit=LIMIT)
    folder = tmp_path_factory.mktemp("pids")
    pool = ThreadPoolExecutor(2)
    futures = {}
    for number, (name, (body, verdicts, _)) in enumerate(ALL.items()):
        pids = folder / str(number)
        code = f"{DEF}{body}" if name in HOSTILE else body
        source = f"{code}\n\n{right_answer}\nPIDS = {str(pids)!r}\n".encode()
        futures[name] = pool.submit(grade, hurried if TIME in verdicts else card, source, "answer.py"), pids
    yield futures
    pool.shutdown(cancel_futures=True)


@pytest.mark.parametrize("name", ALL)
def test_hostile(graded: Graded, name: str) -> None:
    _, verdicts, told = ALL[name]
    report = graded[name][0].result(timeout=60)
    assert report.verdict in verdicts, report
    if told:
        assert report.smallest_failure
        assert report.smallest_failure.finding
        assert told in sentence("en", report.smallest_failure.finding)


def test_nothing_runs_after_a_fatal_verdict(graded: Graded) -> None:
    results = graded["an endless loop"][0].result(timeout=60).results
    verdicts = sorted(result.verdict for result in results)
    assert verdicts == sorted([Verdict.NOT_RUN] * (len(results) - 1) + [TIME])


@pytest.mark.parametrize("name", ["a child that holds the pipes", "a daemon"])
def test_nothing_is_left_running(graded: Graded, name: str) -> None:
    future, pids = graded[name]
    assert future.result(timeout=60).verdict is PASS
    started = pids.read_text().split()
    assert started
    assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []


def test_printed_output_is_kept_in_part(graded: Graded) -> None:
    report = graded["prints 20 MB"][0].result(timeout=60)
    assert report.printed_bytes > 20 << 20
    assert len(report.printed) == launch.PRINTED_LIMIT


def test_isolation_is_named(graded: Graded) -> None:
    layers = graded["right"][0].result(timeout=60).isolation
    assert {"process", "data-only-wire", "wall-clock", "process-group-kill", "clean-environment"} <= set(layers)
    assert len(set(layers)) == len(layers)


@pytest.mark.filterwarnings("error")  # a pipe or a folder left to the garbage collector warns
def test_a_grading_leaves_no_descriptor_thread_or_folder(
    graded: Graded, right_answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for future, _ in graded.values():
        future.result(timeout=60)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    litter = "import os\nopen('litter', 'w').write('x')\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\n"
    source = f"{right_answer}\nevict_sinks = right\n{litter}".encode()
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    assert grade(find_card("evict_sinks"), source, "answer.py").verdict is PASS
    gc.collect()
    end = time.monotonic() + 5
    while threading.active_count() > before[1] and time.monotonic() < end:
        time.sleep(0.01)
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before
    assert os.listdir(tmp_path) == []


def test_the_answer_sees_a_clean_place(right_answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_JUDGE", "42")
    looks = """
import importlib.util, os, sys
assert "SECRET_OF_THE_JUDGE" not in os.environ
assert importlib.util.find_spec("wire") is None
assert os.listdir() == []
assert os.environ["HOME"] == os.getcwd()
assert sys.stdin.read() == ""
assert __file__ == "answer.py"
assert os.getpid() == os.getpgid(0) == os.getsid(0)
evict_sinks = right
"""
    report = grade(find_card("evict_sinks"), f"{right_answer}\n{looks}".encode(), "answer.py")
    assert report.verdict is PASS, report


def test_a_child_that_cannot_start_is_the_judges_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "child.py"
    broken.write_text("raise SystemExit('no torch here')")
    monkeypatch.setattr(launch, "CHILD", broken)
    report = grade(find_card("evict_sinks"), b"", "answer.py")
    assert report.verdict is UNGRADED
    assert report.fault
    assert "no torch here" in sentence("en", report.fault)


def test_cpu_time_decides_before_the_clock(right_answer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch.Limits, "wall_seconds", 50.0)
    body, _, _ = HOSTILE["ignores signals"]
    hurried = dataclasses.replace(find_card("evict_sinks"), time_limit=LIMIT)
    report = grade(hurried, f"{DEF}{body}\n\n{right_answer}".encode(), "answer.py")
    assert report.verdict is TIME
    assert report.seconds < 30


def test_the_group_is_killed_where_orphans_cannot_be_found(
    right_answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(group, "_processes", lambda: iter(()))
    body, _, _ = HOSTILE["a child that holds the pipes"]
    source = f"{DEF}{body}\n\n{right_answer}\nPIDS = {str(tmp_path / 'pids')!r}\n".encode()
    assert grade(find_card("evict_sinks"), source, "answer.py").verdict is PASS
    for pid in (tmp_path / "pids").read_text().split():
        stat = Path(f"/proc/{pid}/stat")
        assert not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] in "ZX"
