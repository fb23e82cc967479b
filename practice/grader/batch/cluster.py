"""Answers graded by a Dask cluster: the same judges, each beside a worker's thread.  Only text goes there and back.

Dask itself gives what a lost worker had to another one; here is only what it does not know: which workers are fit.
"""

import contextlib
import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from distributed import CancelledError, Client, Future, wait

from practice.grader.batch.grading import Request, digest_of, row_as_text, row_from_text
from practice.grader.batch.judging import TRIES, Bench, JudgeLost, NotIsolated, ungraded
from practice.grader.batch.runner import Graded
from practice.grader.catalogue import UnknownExercise, find_card
from practice.grader.report import Finding, Verdict
from practice.grader.rows import Row

CONNECT_SECONDS = 10
POLL_SECONDS = 0.5
WORKERLESS_SECONDS = 30.0
AHEAD = 2
"""Answers that wait at a worker for each thread of it."""

_seat = threading.local()


Refused = Callable[[str, Finding], object]
"""Told the address of a worker that is not asked, and why it is not fit."""


class NoWorker(JudgeLost):
    """The cluster cannot grade: it cannot be reached, or no worker that is fit has been there for a while."""


def check_worker(exercises: Sequence[str], isolated: bool) -> str:
    """On a worker: what it is like, as JSON: its exercises' versions, and what an answer could do there."""
    digests = {}
    for exercise in exercises:
        try:
            digests[exercise] = digest_of(find_card(exercise))
        except UnknownExercise:
            digests[exercise] = ""
    try:
        _bench(isolated).sit_down()
    except NotIsolated as lacking:
        return json.dumps({"digests": digests, "open": lacking.attempts})
    return json.dumps({"digests": digests, "open": []})


def grade_text(text: str, isolated: bool) -> str:
    """On a worker: the row of one request."""
    return row_as_text(_bench(isolated).grade(Request.from_text(text)))


def _bench(isolated: bool) -> Bench:
    """The seat of this thread."""
    if getattr(_seat, "isolated", None) != isolated:
        _seat.isolated, _seat.bench = isolated, Bench(isolated)
    bench: Bench = _seat.bench
    return bench


def grade_there(
    scheduler: str, requests: Sequence[Request], digests: Mapping[str, str], isolated: bool, refused: Refused
) -> Iterator[Graded]:
    """Each request and its row, as they come, from the workers of `scheduler`.  Raises NoWorker.

    `digests` are the exercises' versions here; a worker with others is not asked, nor one without isolation where
    `isolated`: `refused` is told of each.
    """
    try:
        client = Client(scheduler, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise NoWorker(f"{scheduler}: {error}") from error
    with client:
        yield from _Cluster(client, digests, isolated, refused).grade(requests)


class _Cluster:
    """What is known of a cluster's workers, and what they are grading."""

    def __init__(self, client: Client, digests: Mapping[str, str], isolated: bool, refused: Refused) -> None:
        self._client, self._digests, self._isolated, self._tell_refused = client, digests, isolated, refused
        self._scheduler = str(client.scheduler.address)
        self._checks: dict[str, Future] = {}  # of workers that are there and not known yet
        self._threads: dict[str, int] = {}  # of workers that are there and fit
        self._refused: set[str] = set()
        self._running: dict[Future, tuple[Request, list[str]]] = {}
        self._tries: dict[Request, int] = {}
        self._seen = time.monotonic()

    def grade(self, requests: Sequence[Request]) -> Iterator[Graded]:
        """Hand out requests, a few ahead, and collect rows."""
        waiting = deque(requests)
        while waiting or self._running:
            self._look()
            room = AHEAD * sum(self._threads.values()) - len(self._running)
            for _ in range(min(room, len(waiting))):
                self._submit(waiting.popleft())
            for future, request in self._ended():
                row = self._row(future, request)
                if row:
                    yield request, row
                else:
                    waiting.append(request)

    def _submit(self, request: Request) -> None:
        """Give a request to whichever fit worker is free; should that one be lost, Dask gives it to another of them."""
        workers = list(self._threads)
        future = self._client.submit(grade_text, request.as_text(), self._isolated, workers=workers, pure=False)
        self._running[future] = request, workers

    def _ended(self) -> list[tuple[Future, Request]]:
        """The futures that have come to an end, no longer running; after a moment at the latest."""
        asked = [*self._running, *self._checks.values()]
        if not asked:
            time.sleep(POLL_SECONDS)
        with contextlib.suppress(TimeoutError, CancelledError):
            wait(asked, timeout=POLL_SECONDS, return_when="FIRST_COMPLETED")
        return [(future, self._running.pop(future)[0]) for future in list(self._running) if future.done()]

    def _row(self, future: Future, request: Request) -> Row | None:
        """What a future brought; None where the request is to be tried again."""
        try:
            return row_from_text(future.result(timeout=CONNECT_SECONDS))
        except (TimeoutError, CancelledError):  # what it brought was lost on the way
            return None
        except Exception as error:  # whatever a worker raised, or Dask in its place
            self._tries[request] = self._tries.get(request, 0) + 1
            return ungraded(request, f"{type(error).__name__}: {error}") if self._tries[request] == TRIES else None

    def _look(self) -> None:
        """Look who is there; examine who is new; take back what only lost workers could do."""
        if self._client.status != "running":
            raise NoWorker(f"{self._scheduler}: {self._client.status}")
        there: Mapping[str, Any] = self._client.scheduler_info(n_workers=-1)["workers"]
        self._threads = {address: threads for address, threads in self._threads.items() if address in there}
        self._checks = {address: check for address, check in self._checks.items() if address in there}
        for address in set(there) - set(self._threads) - set(self._checks) - set(self._refused):
            wanted = list(self._digests), self._isolated
            self._checks[address] = self._client.submit(check_worker, *wanted, workers=[address], pure=False)
        for address in [address for address, check in self._checks.items() if check.done()]:
            if why := self._why_unfit(self._checks.pop(address)):
                self._refused.add(address)
                self._tell_refused(address, why)
            else:
                self._threads[address] = there[address]["nthreads"]
        for future, (_, workers) in self._running.items():
            if not self._threads.keys() & workers:
                future.cancel()
        if self._threads or self._checks:
            self._seen = time.monotonic()
        elif time.monotonic() - self._seen > WORKERLESS_SECONDS:
            raise NoWorker(f"{self._scheduler}: no worker that is fit")

    def _why_unfit(self, check: Future) -> Finding | None:
        """Why a worker is not to be asked; None where it is fit."""
        try:
            found = json.loads(check.result(timeout=CONNECT_SECONDS))
        except Exception as error:  # it has no course, or other packages, or is gone again
            return _unfit("worker_fails", error=f"{type(error).__name__}: {error}")
        if found["open"]:
            return _unfit("worker_open", attempts=" ".join(found["open"]))
        others = [exercise for exercise, digest in self._digests.items() if found["digests"][exercise] != digest]
        return _unfit("worker_differs", exercises=", ".join(others)) if others else None


def _unfit(key: str, **fields: str) -> Finding:
    return Finding(Verdict.UNGRADED, key, fields)
