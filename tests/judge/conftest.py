"""What the judge's tests share: grading in this process, without the seconds that a process of its own costs."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from practice.grader.catalogue import find_card
from practice.grader.isolate.answer import Answer
from practice.grader.isolate.remote import RemoteAnswer
from practice.grader.isolate.wire import Frame
from practice.grader.report import CaseResult, Report
from practice.grader.verify.diagnose import diagnose
from practice.grader.verify.exercise import load_exercise
from practice.grader.verify.trial import Trial

ROOT = Path(__file__).resolve().parents[2]
Grade = Callable[..., list[CaseResult]]
GradeReport = Callable[..., Report]
Outcome = tuple[int, str, str]
Judge = Callable[..., Outcome]


class ChildHere:
    """Stands in for a child process: the same requests and replies, served in this process."""

    def __init__(self) -> None:
        self._answer = Answer()

    def ask(self, header: Mapping[str, Any], body: bytes = b"") -> Frame:
        return Frame(*self._answer.serve(Frame(header, body)))

    def stop(self, why: object) -> object:
        raise AssertionError(why)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Tensors this small are slower on several threads, by far so on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session", autouse=True)
def progress_elsewhere(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Grading in a test leaves the progress of whoever runs the tests alone."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


def try_here(exercise: str, source: str | bytes, seed: int) -> tuple[Trial, RemoteAnswer, list[CaseResult]]:
    """The trial of a source, the answer that it made, and the results."""
    card = find_card(exercise)
    trial = Trial(load_exercise(card), seed, "answer.py")
    answer = RemoteAnswer(ChildHere())  # type: ignore[arg-type]
    raw = source if isinstance(source, bytes) else source.encode()
    failure = answer.load(raw, "answer.py", card.function, trial.parameters)
    return trial, answer, trial.refuse(failure) if failure else trial.run(answer)


@pytest.fixture(scope="session")
def grade_here() -> Grade:
    """grade_here(exercise, source, seed=0) -> results, with everything real but the process boundary."""
    return lambda exercise, source, seed=0: try_here(exercise, source, seed)[2]


@pytest.fixture(scope="session")
def report_here() -> GradeReport:
    """report_here(exercise, source, seed=0) -> report with example and misconceptions, without a process of its own."""

    def grade(exercise: str, source: str | bytes, seed: int = 0) -> Report:
        trial, answer, results = try_here(exercise, source, seed)
        example, misconceptions = diagnose(trial, answer)
        return Report(
            *(exercise, "answer.py", tuple(results), (), 0.0, seed), example=example, misconceptions=misconceptions
        )

    return grade


@pytest.fixture(scope="session")
def right_answer() -> str:
    """A source that is right for evict_sinks, under the name `right`: hostile answers are written around it."""
    source = (find_card("evict_sinks").folder / "reference.py").read_text(encoding="utf-8")
    return source.replace("def evict_sinks(", "def right(")


@pytest.fixture(scope="session")
def judge() -> Judge:
    """judge(*arguments, door=..., flags="", **environment) -> (status, stdout, stderr) of the real command."""

    def run(
        *arguments: object, door: Path = ROOT / "practice/judge.py", flags: str = "", **environment: str
    ) -> Outcome:
        command = [sys.executable, *flags.split(), str(door), *map(str, arguments)]
        clean = {name: value for name, value in os.environ.items() if name not in ("LC_ALL", "LC_MESSAGES", "LANG")}
        done = subprocess.run(command, capture_output=True, env={**clean, **environment}, timeout=120, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    return run


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The judge and its exercises somewhere else, with no environment beside them and no answers yet."""
    shutil.copy(ROOT / "judge.py", tmp_path)
    shutil.copytree(ROOT / "practice", tmp_path / "practice", ignore=shutil.ignore_patterns("answers", "__pycache__"))
    return tmp_path
