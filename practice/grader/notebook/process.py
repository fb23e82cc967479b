"""The judge's own process, as a notebook's kernel sees it."""

import contextlib
import json
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).resolve().parents[3]
DOOR = ROOT / "practice" / "judge.py"
USAGE_ERROR = 2

Event = dict[str, Any]


class JudgeGone(Exception):
    """The judge's process ended before it had answered.  `advice` is the door's own sentence, where it did not open."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.advice = advice


class JudgeProcess:
    """One process that grades until `close`, or until this process ends.  It ignores what interrupts the kernel."""

    def __init__(self) -> None:
        self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - read where the process ended
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, str(DOOR), "serve"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            encoding="ascii",
            cwd=ROOT,
            start_new_session=True,
        )

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ask(self, **request: str) -> Iterator[Event]:
        """Send one request; yields its events.  Raises JudgeGone."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin
        assert stdout
        with self._turn:  # a button may be clicked in another thread than cells run in
            with contextlib.suppress(BrokenPipeError):
                stdin.write(json.dumps(request) + "\n")
                stdin.flush()
            for line in stdout:
                yield (event := json.loads(line))
                if event["event"] != "case":
                    return
        raise self._how_it_ended()

    def close(self) -> None:
        """End the process, and the grading that goes on in it."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe
            with contextlib.suppress(OSError):
                pipe.close()

    def _how_it_ended(self) -> JudgeGone:
        status = self._process.wait()
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace").strip().splitlines()
        last = lines[-1] if lines else f"exit status {status}"
        return JudgeGone(last, last if status == USAGE_ERROR else "")
