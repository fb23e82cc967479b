"""A judge's process of a batch: `python -m practice.grader.batch.worker [isolated]`, requests on stdin, rows on stdout.

First it says, as JSON, what an answer could do here; then each line is answered by one line, until stdin ends.
"""

import contextlib
import json
import os
import queue
import signal
import sys
import threading
from typing import IO

from practice.grader.batch.examiner import Examiner
from practice.grader.batch.grading import Request, row_as_text
from practice.grader.verify.verifier import get_ready, stand_down

LEAVE_SECONDS = 0.2


def main() -> None:
    """Grade until whoever asked has gone."""
    finished = threading.Event()
    replies, requests = _take_stdout(), _listen(finished)
    try:
        get_ready()
        examiner = Examiner(isolated="isolated" in sys.argv[1:])
        _reply(replies, json.dumps({"open": examiner.open_attempts}))
        for line in iter(requests.get, None):
            _reply(replies, row_as_text(examiner.grade(Request.from_text(line))))
        finished.set()
    finally:
        stand_down()


def _take_stdout() -> IO[str]:
    """Rows alone go to stdout; whatever else is printed goes to stderr."""
    stream = os.fdopen(os.dup(1), "w", encoding="ascii", buffering=1)
    os.dup2(2, 1)
    return stream


def _reply(stream: IO[str], line: str) -> None:
    with contextlib.suppress(OSError):  # whoever asked has gone; stdin ends, too
        stream.write(line + "\n")


def _listen(finished: threading.Event) -> "queue.SimpleQueue[str | None]":
    """Requests as they come, then None.  A grading that goes on then is ended, its process and folder first."""
    requests: queue.SimpleQueue[str | None] = queue.SimpleQueue()

    def read() -> None:
        for line in sys.stdin:
            requests.put(line)
        requests.put(None)
        if not finished.wait(LEAVE_SECONDS):
            os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=read, daemon=True).start()
    return requests


if __name__ == "__main__":
    main()
