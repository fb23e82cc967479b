"""The judge's own process, as a notebook's kernel sees it."""

import contextlib
import json
import queue
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from practice.grader.pipes import last_words, start_judge

ROOT = Path(__file__).resolve().parents[3]
DOOR = ROOT / "practice" / "judge.py"
USAGE_ERROR = 2
POLL_SECONDS = 0.1

Event = dict[str, Any]


class JudgeGone(Exception):
    """The judge's process ended before it had answered.  `advice` is the door's own sentence, where it did not open."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(reason)
        self.advice = advice


class JudgeProcess:
    """Grades until `close`, or until this process ends; what interrupts the kernel does not reach it."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._process, self._said = start_judge([str(DOOR), "serve"], ROOT)
        self._requests = cast(IO[str], self._process.stdin)
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()

    @property
    def alive(self) -> bool:
        return not self._requests.closed and self._process.poll() is None

    def ask(self, **request: str) -> Iterator[Event]:
        """Send one request; yields its events.  Raises JudgeGone.

        Left before the last one, it ends the process: what is still to come must not answer another request.
        """
        with self._turn:  # a button may be clicked in another thread than cells run in
            with contextlib.suppress(BrokenPipeError):
                self._requests.write(json.dumps(request) + "\n")
                self._requests.flush()
            is_last = False
            try:
                while event := self._next():
                    is_last = event["event"] != "case"
                    yield event
                    if is_last:
                        return
            finally:
                if not is_last:
                    self.close()
        raise self._how_it_ended()

    def close(self) -> None:
        """End the process, and the grading that goes on in it."""
        with contextlib.suppress(OSError):
            self._requests.close()

    def _listen(self, events: IO[str]) -> None:
        for line in events:
            self._events.put(json.loads(line))
        self._events.put(None)

    def _next(self) -> Event | None:
        """The next event, None at the end.  Waits in steps: not every system interrupts a wait."""
        while True:
            with contextlib.suppress(queue.Empty):
                return self._events.get(timeout=POLL_SECONDS)

    def _how_it_ended(self) -> JudgeGone:
        last = last_words(self._process, self._said)
        return JudgeGone(last, last if self._process.returncode == USAGE_ERROR else "")
