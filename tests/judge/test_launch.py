"""The process for an answer, apart from any exercise: its clocks, its start, and what is left when the judge goes."""

import contextlib
import os
import signal
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from practice.grader.isolate import forking, leaving, spare
from practice.grader.isolate.launch import Child, Limits, Stopped
from practice.grader.isolate.wire import Frame

ROOT = Path(__file__).resolve().parents[2]
JUDGE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from practice.grader.isolate.launch import Child, Limits
with Child(Limits(0.6), portable=sys.argv[2] == 'portable') as child:
    child.wait_until_ready()
    load = {{"kind": "load", "file": "a.py", "function": "f", "parameters": []}}
    child.ask(load, sys.argv[1].encode())
    print(child.ask({{"kind": "call", "arguments": []}}))
"""
TRACED = """
import ctypes, os, time
libc = ctypes.CDLL(None)
def f():
    libc.prctl(0x59616D61, ctypes.c_ulong(-1), 0, 0, 0)  # PR_SET_PTRACER: anyone
    traced = os.getpid()
    if os.fork() == 0:
        os.setsid()
        libc.ptrace(0x4206, traced, None, None)  # PTRACE_SEIZE
        print(os.getpid(), flush=True)
        time.sleep(600)
    time.sleep(600)
"""
WITHOUT_FIRST_THREAD = """
import ctypes, mmap, threading, time
def eat():
    page = mmap.mmap(-1, 1 << 29, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x100)  # MAP_GROWSDOWN
    for i in range(0, 1 << 29, 4096): page[i] = 1
    time.sleep(600)
def f():
    threading.Timer(0.1, eat).start()
    ctypes.CDLL(None).syscall(60, 0)  # exit, of this thread alone
"""
FORK_BOMB = """
import os, time
end, tokens = time.time() + 20, os.pipe()
os.write(tokens[1], bytes(60))
os.set_blocking(tokens[0], False)
def grow():
    os.setsid()
    parent = os.getppid()
    while time.time() < end:
        os.utime(SEEN)
        if os.getppid() != parent:
            parent = os.getppid()
            os.write(tokens[1], bytes(1))
        try: os.read(tokens[0], 1)
        except BlockingIOError: continue
        if os.fork() == 0: return grow()
    os._exit(0)
def f():
    if os.fork() == 0: grow()
    time.sleep(0.5)
"""

BOTH = (False, True)  # portable
Start = Callable[..., "subprocess.Popen[bytes]"]


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that scratch folders are made in."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def start(scratch: Path) -> Iterator[Start]:
    """start(source, mode) -> a judge in a process of its own that runs `f` of the source."""
    judges = []

    def run(source: str, mode: str = "") -> "subprocess.Popen[bytes]":
        judges.append(subprocess.Popen([sys.executable, "-c", JUDGE, source, mode], stdout=subprocess.PIPE))
        return judges[-1]

    yield run
    for judge in judges:
        assert judge.stdout
        judge.stdout.close()
        judge.kill()
        judge.wait()


def run_f(child: Child, source: str) -> Frame | Stopped:
    header = {"kind": "load", "file": "a.py", "function": "f", "parameters": []}
    loaded = child.ask(header, source.encode())
    assert isinstance(loaded, Frame)
    assert loaded.header["kind"] == "loaded"
    return child.ask({"kind": "call", "arguments": []})


def wait_for(path: Path) -> None:
    end = time.monotonic() + 30
    while not os.path.lexists(path):
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_busy_machine_is_not_a_slow_answer() -> None:
    source = "import time\ndef f():\n    end = time.process_time() + 0.45\n    while time.process_time() < end: pass"
    one = {min(os.sched_getaffinity(0))}
    busy = f"import os\nos.sched_setaffinity(0, {one})\nwhile True: pass"
    with Child(Limits(0.6)) as child:
        child.wait_until_ready()
        os.sched_setaffinity(child._worker.pid, one)
        others = [subprocess.Popen([sys.executable, "-c", busy], start_new_session=True) for _ in range(5)]
        try:
            started = time.monotonic()
            reply = run_f(child, source)
            assert time.monotonic() - started > Limits(0.6).wall_seconds
        finally:
            for other in others:
                other.kill()
                other.wait()
    assert isinstance(reply, Frame), reply


def test_a_pause_of_the_judge_is_not_the_answers(start: Start, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    judge = start(f"import os, time\ndef f():\n    os.mkdir({str(seen)!r})\n    time.sleep(2.2)", "portable")
    wait_for(seen)
    judge.send_signal(signal.SIGSTOP)
    time.sleep(1.7)
    judge.send_signal(signal.SIGCONT)
    assert b"'returned'" in judge.communicate()[0]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_judge_that_is_ended_leaves_nothing(start: Start, scratch: Path, tmp_path: Path, number: int) -> None:
    pids = tmp_path / "pids"
    judge = start(
        f"""
import os, subprocess, time
def f():
    started = [subprocess.Popen(["sleep", "60"], start_new_session=new).pid for new in (False, True)]
    os.symlink(" ".join(map(str, started)), {str(pids)!r})
    time.sleep(60)
""",
        "portable",
    )
    wait_for(pids)
    judge.send_signal(number)
    assert judge.wait(timeout=20) == 128 + number
    assert [pid for pid in os.readlink(pids).split() if Path(f"/proc/{pid}").exists()] == []
    assert os.listdir(scratch) == []


def test_signals_are_given_back_and_ignored_ones_stay() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Child(Limits(1)):
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert callable(signal.getsignal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_a_fork_bomb_is_swept(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    seen.touch()
    with Child(Limits(2), portable=True) as child:
        child.wait_until_ready()
        assert isinstance(run_f(child, f"{FORK_BOMB}\nSEEN = {str(seen)!r}"), Frame)
    last = seen.stat().st_mtime_ns
    time.sleep(0.3)
    assert seen.stat().st_mtime_ns == last


def test_an_answer_that_is_traced_is_ended() -> None:
    with Child(Limits(1), portable=True) as child:
        child.wait_until_ready()
        assert run_f(child, TRACED) == Stopped("time")
        tracer = int(child.printed)
    with pytest.raises(ProcessLookupError):
        os.kill(tracer, 0)


@pytest.mark.parametrize("portable", [False, True])
def test_memory_is_watched_without_the_first_thread(portable: bool) -> None:
    with Child(Limits(10, memory_bytes=1 << 28), portable) as child:
        child.wait_until_ready()
        stopped = run_f(child, WITHOUT_FIRST_THREAD)
    # where it cannot be had, the last thread ends, and the process with it
    assert stopped == (Stopped("memory", "memory watchdog") if portable else Stopped("crash", "exit status 0"))


def test_torch_may_lie_outside_the_isolated_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    venv.create(tmp_path / "bare", symlinks=True)
    forking.end_zygote()
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare/bin/python"))
    for portable in BOTH:
        with Child(Limits(1), portable) as child:
            child.wait_until_ready()
            assert isinstance(run_f(child, "def f(): pass"), Frame)
    forking.end_zygote()


@pytest.mark.parametrize("portable", BOTH)
@pytest.mark.parametrize("broken", ["threading.Thread.start", "subprocess.Popen.__init__"])
def test_a_failed_start_leaves_nothing(
    scratch: Path, monkeypatch: pytest.MonkeyPatch, broken: str, portable: bool
) -> None:
    forking.end_zygote()

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("no more of these")

    before = len(os.listdir("/proc/self/fd"))
    with monkeypatch.context() as patch:
        patch.setattr(broken, fail)
        with pytest.raises(RuntimeError, match="no more"):
            Child(Limits(1), portable)
    forking.end_zygote()
    assert os.listdir(scratch) == []
    assert len(os.listdir("/proc/self/fd")) == before
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_failed_cleaning_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(folder: str) -> None:
        leaving.remove_folder(folder)
        raise RecursionError

    monkeypatch.setattr(spare, "remove_folder", fail)
    with Child(Limits(1), portable=True):
        pass


def descendants(scratch: Path) -> list[int]:
    """Processes whose temporary folder lies in `scratch`."""
    found = []
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            if f"TMPDIR={scratch}/".encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
    return found


@pytest.mark.parametrize("mode", ["", "portable"])
@pytest.mark.parametrize("moment", [0.0, 0.3, 2.5])
def test_a_judge_that_is_killed_leaves_no_process(start: Start, scratch: Path, mode: str, moment: float) -> None:
    judge = start("def f():\n    while True: pass", mode)
    time.sleep(moment)
    judge.kill()
    judge.wait()
    end = time.monotonic() + 20
    while descendants(scratch) and time.monotonic() < end:
        time.sleep(0.05)
    assert descendants(scratch) == []


def test_a_child_that_is_forked_cannot_start_processes() -> None:
    source = "import os\ndef f():\n    try: os.fork()\n    except PermissionError: return 1"
    with Child(Limits(1)) as child:
        child.wait_until_ready()
        assert {"zygote", "seccomp"} <= set(child.layers)
        assert isinstance(run_f(child, source), Frame)


def test_spares_are_used_once_and_end(scratch: Path) -> None:
    spare.prepare()
    waiting = spare._waiting[0].pid
    spare.prepare()
    assert [process.pid for process in spare._waiting] == [waiting]
    with Child(Limits(1), portable=True) as child:
        assert child._worker.pid == waiting
        child.wait_until_ready()
    assert spare._waiting == []
    spare.prepare()
    spare.end_waiting()
    assert os.listdir(scratch) == []
    assert descendants(scratch) == []


def test_zygotes_end_and_start_again(scratch: Path) -> None:
    forking.end_zygote()
    for _ in range(2):
        with Child(Limits(1)) as child:
            child.wait_until_ready()
            assert isinstance(run_f(child, "def f(): pass"), Frame)
        process = forking.zygote()._process  # once: a second call starts another where this one has ended
        process.kill()
        process.wait()
    forking.end_zygote()
    assert descendants(scratch) == []
