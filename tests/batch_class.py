"""A class of small submissions for the tests of `judge batch`, and the real command on it."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOOR = ROOT / "practice/judge.py"
EXERCISE = ROOT / "practice/exercises/kv_bytes"
SECONDS = 3600.0 if os.environ.get("SOAK") == "1" else 120.0


def make_class(folder: Path, students: int) -> Path:
    """`students` with an answer to kv_bytes each: the reference, then every mutant in turn."""
    sources = [EXERCISE / "reference.py", *sorted((EXERCISE / "mutants").glob("*.py"))]
    for number in range(students):
        own = folder / f"s{number:04}"
        own.mkdir(parents=True)
        (own / "kv_bytes.py").write_bytes(sources[number % len(sources)].read_bytes())
    return folder


def batch(folder: Path, out: Path, *options: str, door: Path = DOOR) -> "subprocess.Popen[str]":
    """Start the command, in English, in a session of its own; it and its judges have `out` in their environment."""
    clean = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_MESSAGES", "LANG")}
    return subprocess.Popen(
        [sys.executable, str(door), "batch", str(folder), "--out", str(out), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**clean, "OMP_NUM_THREADS": "1", "BATCH": str(out)},
        start_new_session=True,
    )


def finish(process: "subprocess.Popen[str]") -> tuple[int, str, str]:
    """Its exit status, and what it wrote to stdout and stderr."""
    out, err = process.communicate(timeout=SECONDS)
    return process.returncode, out, err


def journalled(out: Path) -> list[bytes]:
    """The journal's whole lines of rows."""
    path = out / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
    return [line for line in lines if b'"row"' in line and line.endswith(b"\n")]


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.01)


def kill_after(process: "subprocess.Popen[str]", out: Path, rows: int, number: int) -> int:
    """Send a signal once the journal has so many rows; gives how many it has in the end."""
    wait_until(lambda: len(journalled(out)) >= rows or process.poll() is not None)
    process.send_signal(number)
    finish(process)
    assert process.returncode == -number
    return len(journalled(out))


def with_environment(mark: str) -> list[int]:
    """Processes that have `mark` in their environment or command line."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            told = (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if mark.encode() in told and entry.name.isdigit() and int(entry.name) != os.getpid():
            found.append(int(entry.name))
    return found


@contextmanager
def dask(*words: str, cwd: Path = ROOT, **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """A scheduler or a worker of a Dask cluster, in a process and a session of its own; its whole session ends."""
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli." + words[0], *words[1:]],
        cwd=cwd,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
