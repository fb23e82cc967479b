"""Processes for one answer each, for systems where forking a process with torch in it is not safe.

Started ahead of time where another answer is to be expected, so that importing torch is not waited for.
"""

import contextlib
import os
import subprocess
import tempfile
import threading
from pathlib import Path
from typing import IO, cast

from practice.grader.isolate.group import ProcessGroup
from practice.grader.isolate.leaving import remove_folder
from practice.grader.isolate.python import clean_environment, command

SCRIPT = Path(__file__).with_name("child.py")

_lock = threading.Lock()
_waiting: "list[Spare]" = []


class Spare:
    """A process in a group and a scratch folder of its own, and the judge's ends of its pipes."""

    def __init__(self) -> None:
        with contextlib.ExitStack() as cleaning:  # what is begun is undone, in here or in `close`
            scratch = tempfile.mkdtemp(prefix="answer-")
            cleaning.callback(remove_folder, scratch)
            self._group = ProcessGroup(command(SCRIPT, str(os.getpid())), clean_environment(scratch), scratch)
            cleaning.callback(self._close_pipes)
            cleaning.callback(self._group.end)
            self._cleaning = cleaning.pop_all()
        process = self._group.process
        self.pid = process.pid
        self.requests, self.replies, self.errors = (
            cast(IO[bytes], pipe) for pipe in (process.stdin, process.stdout, process.stderr)
        )
        self.layers = ["scratch-directory", *self._group.layers]

    def start(self, seconds: float) -> None:
        """It is there already."""

    def wait(self, seconds: float) -> int | None:
        """How the process ended (minus the signal that ended it), or None where it runs on."""
        try:
            return self._group.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """Kill the process, and all that it started."""
        self._group.end()

    def close(self) -> None:
        """End it and give back every descriptor, and the scratch folder."""
        self._cleaning.close()

    def _close_pipes(self) -> None:
        process = self._group.process
        for pipe in (process.stdin, process.stdout, process.stderr):
            cast(IO[bytes], pipe).close()


def take() -> Spare:
    """The process that waits, or a new one."""
    with _lock:
        return _waiting.pop() if _waiting else Spare()


def prepare() -> None:
    """Start the process for the answer after this one."""
    with _lock:
        if not _waiting:
            _waiting.append(Spare())


def end_waiting() -> None:
    """End the process that waits, where there is one."""
    with _lock:
        while _waiting:
            _waiting.pop().close()
