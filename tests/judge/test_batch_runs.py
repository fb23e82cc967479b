"""A batch that is killed, resumed, run twice at once, run on a cluster: the same rows, none double, none lost."""

import json
import os
import re
import signal
import socket
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from batch_class import batch, dask, finish, journalled, kill_after, make_class, wait_until, with_environment
from distributed import Client

from practice.grader.batch import cluster
from practice.grader.batch.journal import Journal
from practice.grader.cli import main

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs signals and /proc")

STUDENTS, JOBS = (1000, "2") if os.environ.get("SOAK") == "1" else (24, "1")
SEED = "11"
FILES = ("marks.csv", "results.json", "junit.xml")
HEAD = f"Handed in, by how many of {STUDENTS} students: kv_bytes {STUDENTS}\n"


Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    """run(*arguments) -> (status, stdout, stderr) of `judge batch`, in English, in this process."""

    def command(*arguments: object) -> tuple[int, str, str]:
        status = main(["batch", *map(str, arguments), "--lang", "en"])
        return status, *capfd.readouterr()

    return command


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_class(tmp_path_factory.mktemp("class"), STUDENTS)


@pytest.fixture(scope="module")
def resumed(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of a batch that was killed twice."""
    out = tmp_path_factory.mktemp("resumed")
    first = kill_after(batch(folder, out, "--seed", SEED, "--jobs", "2"), out, STUDENTS // 4, signal.SIGKILL)
    tear_last_line(out)
    second = kill_after(batch(folder, out, "--jobs", JOBS), out, STUDENTS // 2, signal.SIGTERM)
    assert STUDENTS // 4 <= first <= second + 1 <= STUDENTS
    status, page, errors = finish(batch(folder, out, "--jobs", JOBS))
    assert (status, errors) == (0, "")
    assert f"(students: {STUDENTS}, rows: {STUDENTS})" in page
    return out


def tear_last_line(out: Path) -> None:
    """As where the power went in the middle of a write."""
    journal = out / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().rstrip(b"\n")[:-9])


def test_killed_twice_none_double_none_lost(resumed: Path) -> None:
    students = [json.loads(line)["row"]["student"] for line in journalled(resumed)]
    assert sorted(students) == [f"s{number:04}" for number in range(STUDENTS)]
    rows = json.loads((resumed / "results.json").read_text("utf-8"))["rows"]
    assert [row["student"] for row in rows] == sorted(students)
    assert rows[0]["outcome"] == "PASS"
    assert {row["outcome"] for row in rows} == {"PASS", "WRONG", "CONTRACT"}


def test_killed_twice_nothing_is_left(resumed: Path) -> None:
    wait_until(lambda: with_environment(str(resumed)) == [])


def test_the_journal_is_its_owner_s(resumed: Path) -> None:
    assert (resumed / "journal.jsonl").stat().st_mode & 0o077 == 0
    assert json.loads((resumed / "journal.jsonl").read_bytes().splitlines()[0]) == {"seed": int(SEED)}


def test_two_batches_on_the_same_results(folder: Path, resumed: Path, run: Run) -> None:
    with Journal(resumed):
        status, page, errors = run(folder, "--out", resumed)
    assert (status, page) == (2, "")
    assert "another batch is working on" in errors


def test_nothing_left_to_do(folder: Path, resumed: Path, run: Run) -> None:
    before = {name: (resumed / name).read_bytes() for name in (*FILES, "journal.jsonl", "items.csv")}
    assert run(folder, "--out", resumed)[0] == 0
    assert {name: (resumed / name).read_bytes() for name in before} == before


def test_what_has_changed_is_graded_again(folder: Path, resumed: Path, run: Run, tmp_path: Path) -> None:
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes((resumed / "journal.jsonl").read_bytes())
    answer = folder / "s0001" / "kv_bytes.py"
    source = answer.read_bytes()
    answer.write_bytes((folder / "s0000" / "kv_bytes.py").read_bytes())
    try:
        assert run(folder, "--out", tmp_path, "--jobs", 1)[0] == 0
    finally:
        answer.write_bytes(source)
    assert len(journalled(tmp_path)) == STUDENTS + 1
    rows = json.loads((tmp_path / "results.json").read_text("utf-8"))["rows"]
    assert [row["outcome"] for row in rows[:2]] == ["PASS", "PASS"]
    assert len(rows) == STUDENTS


@pytest.fixture
def scheduler() -> Iterator[str]:
    """The address of a scheduler."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with dask("dask_scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"):
        wait_until(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        yield f"tcp://127.0.0.1:{port}"


WORKER = ("dask_worker", "--nthreads", "1", "--no-nanny", "--no-dashboard")


def without_landlock(copy: Path) -> Path:
    """A course on a system that has no Landlock, and no bubblewrap in its PATH."""
    path = copy / "practice/grader/isolate/landlock.py"
    changed = re.sub(r"(def restrict\([^\n]*\n)", r"\1    return 0\n", path.read_text("utf-8"))
    path.write_text(changed, encoding="utf-8")
    (copy / "empty").mkdir()
    return copy


def number_of_workers(scheduler: str) -> int:
    with Client(scheduler) as client:
        return len(client.scheduler_info(n_workers=-1)["workers"])


@pytest.fixture
def unfit(scheduler: str, copy: Path) -> Iterator[None]:
    """A worker on a system that cannot isolate answers."""
    elsewhere = without_landlock(copy)
    environment = {"PATH": str(elsewhere / "empty"), "PYTHONPATH": str(elsewhere)}
    with dask(*WORKER, scheduler, cwd=elsewhere, **environment):
        yield


@pytest.mark.usefixtures("unfit")
def test_a_cluster(
    folder: Path, resumed: Path, scheduler: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """First only the unfit worker is there, then two others, one of which is killed."""
    monkeypatch.setattr(cluster, "WORKERLESS_SECONDS", 0)
    options = ("--scheduler", scheduler, "--require-isolation", "--seed", SEED)
    wait_until(lambda: number_of_workers(scheduler) == 1)
    status, page, errors = run(folder, "--out", tmp_path, *options)
    assert (status, page) == (3, HEAD)
    assert "is not asked: an answer could do this there: read the exercises, where the references lie" in errors
    assert journalled(tmp_path) == []
    with dask(*WORKER, scheduler) as killed, dask(*WORKER, scheduler):
        running = batch(folder, tmp_path, *options)
        wait_until(lambda: len(journalled(tmp_path)) >= STUDENTS // 4)
        os.killpg(killed.pid, signal.SIGKILL)
        status, page, errors = finish(running)
    assert status == 0, errors
    assert f"(students: {STUDENTS}, rows: {STUDENTS})" in page
    assert len(journalled(tmp_path)) == STUDENTS
    assert [name for name in FILES if (tmp_path / name).read_bytes() != (resumed / name).read_bytes()] == []


def test_no_cluster_at_all(folder: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    status, page, errors = run(folder, "--out", tmp_path / "out", "--scheduler", "tcp://127.0.0.1:9")
    assert (status, page) == (3, HEAD)
    assert "tcp://127.0.0.1:9" in errors


def test_isolation_is_required_here(folder: Path, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unfit = without_landlock(copy)
    monkeypatch.setenv("PATH", str(unfit / "empty"))
    door = unfit / "practice/judge.py"
    status, page, errors = finish(batch(folder, tmp_path / "out", "--require-isolation", "--jobs", "1", door=door))
    assert (status, page) == (2, HEAD)
    assert "read the exercises, where the references lie" in errors
    assert journalled(tmp_path / "out") == []
