"""Grading for a notebook, in a process of its own: nothing that a notebook's code changes can bend the ruler.

Requests and events are JSON objects, one a line, on stdin and stdout.
{"do": "grade", "exercise", "lang", "source"} is answered by an event "case" as each test ends, then "report", or
by "untouched" where the source is the starter still;
{"do": "hint", "exercise", "lang"} by "hint"; either one by "refused", with a `message`, where it cannot be carried out.
The last event of each also has the `warnings` that a command would have written to stderr.
"""

import contextlib
import json
import os
import queue
import signal
import sys
import threading
import time

from practice.grader.commands.cells import CellGrader, Event, Tell
from practice.grader.verify.verifier import get_ready, stand_down

LEAVE_SECONDS = 0.2


def serve() -> int:
    """Carry out requests until stdin ends, which it does with the notebook's process, however that ends."""
    tell, requests = _take_stdout(), _listen()
    grader = CellGrader(tell)
    try:
        get_ready()
        for request in iter(requests.get, None):
            tell(grader.carry_out(request))
    finally:
        stand_down()
    return 0


def _take_stdout() -> Tell:
    """Events alone go to stdout; whatever else is printed goes to stderr."""
    sys.stdout.flush()
    stream = os.fdopen(os.dup(1), "w", encoding="ascii", buffering=1)
    os.dup2(2, 1)

    def tell(event: Event) -> None:
        with contextlib.suppress(OSError):  # the notebook has gone; stdin ends, too
            stream.write(json.dumps(event) + "\n")

    return tell


def _listen() -> "queue.SimpleQueue[Event | None]":
    """Requests as they come, then None.  A grading that goes on then is ended, its process and folder first."""
    requests: queue.SimpleQueue[Event | None] = queue.SimpleQueue()

    def read() -> None:
        with contextlib.suppress(ValueError, RecursionError):  # not a request: no notebook of ours is there
            for line in sys.stdin:
                requests.put(json.loads(line))
        requests.put(None)
        time.sleep(LEAVE_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=read, daemon=True).start()
    return requests
