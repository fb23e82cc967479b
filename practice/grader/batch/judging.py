"""A judge's process of a batch, as the batch sees it; another one takes its place where it fails."""

import contextlib
import json
import subprocess
import threading
from pathlib import Path
from typing import IO, cast

from practice.grader.batch.grading import MAX_POINTS, Request, row_from_text
from practice.grader.pipes import last_words, start_judge
from practice.grader.report import Finding, Verdict
from practice.grader.rows import Row

ROOT = Path(__file__).resolve().parents[3]
WORKER = "practice.grader.batch.worker"
TRIES = 3
PATIENCE_SECONDS = 300.0
"""Far beyond the longest that an answer may take: only a judge that hangs needs it."""


class JudgeLost(Exception):
    """The judge's process has ended, or was ended because it hung."""


class NotIsolated(Exception):
    """Isolation is required, and not all of it is there: `attempts` went through."""

    def __init__(self, attempts: list[str]) -> None:
        super().__init__(", ".join(attempts))
        self.attempts = attempts


class Judge:
    """One judge's process.  Raises JudgeLost where it does not start, NotIsolated where it is not fit."""

    def __init__(self, isolated: bool) -> None:
        self._process, self._said = start_judge(["-m", WORKER, *(["isolated"] if isolated else [])], ROOT)
        self._requests, self._replies = cast(IO[str], self._process.stdin), cast(IO[str], self._process.stdout)
        try:
            attempts = json.loads(self._next())["open"]
            if attempts:
                raise NotIsolated(attempts)
        except BaseException:
            self.close()
            raise

    def grade(self, request: Request) -> Row:
        """Have one answer graded.  Raises JudgeLost."""
        with contextlib.suppress(OSError, ValueError):  # ended, or stopped: reading tells
            self._requests.write(request.as_text() + "\n")
            self._requests.flush()
        return row_from_text(self._next())

    def stop(self) -> None:
        """Have the process end, and a grading that goes on in it."""
        with contextlib.suppress(OSError):
            self._requests.close()

    def close(self) -> None:
        """Stop, and wait for the end."""
        self.stop()
        try:
            self._process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._replies.close()
        self._said.close()

    def _next(self) -> str:
        timer = threading.Timer(PATIENCE_SECONDS, self._process.kill)
        timer.start()
        try:
            if line := self._replies.readline():
                return line
        finally:
            timer.cancel()
        raise JudgeLost(last_words(self._process, self._said))


class Bench:
    """One seat for a judge: whoever sits there grades one answer after another, and is replaced when lost."""

    def __init__(self, isolated: bool) -> None:
        self._isolated = isolated
        self._judge: Judge | None = None
        self._left = threading.Event()

    def grade(self, request: Request) -> Row:
        """The row of one answer, tried again where the judge fails.  Raises NotIsolated, and JudgeLost where no judge
        starts."""
        row = ungraded(request, "left")
        for _ in range(TRIES):
            judge = self.sit_down()
            try:
                row = judge.grade(request)
            except JudgeLost as lost:
                self.close()
                row = ungraded(request, str(lost))
            if row.outcome != Verdict.UNGRADED or self._left.is_set():
                break
        return row

    def sit_down(self) -> Judge:
        """The judge who sits here, or a new one.  Raises NotIsolated, JudgeLost."""
        if self._judge is None:
            self._judge = Judge(self._isolated)
        return self._judge

    def leave(self) -> None:
        """From another thread: end what is being graded; nothing more will be."""
        self._left.set()
        if self._judge:
            self._judge.stop()

    def close(self) -> None:
        """Send the judge home."""
        if self._judge:
            self._judge.close()
        self._judge = None


def ungraded(request: Request, error: str) -> Row:
    """The row of an answer whose judge failed again and again."""
    fault = Finding(Verdict.UNGRADED, "fault", {"error": error})
    return Row(request.student, request.exercise, Verdict.UNGRADED, None, MAX_POINTS, request.file, fault)
