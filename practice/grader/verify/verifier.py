"""Grades one answer: starts the process for it, judges what comes back, and reports."""

import secrets
import time
import traceback
from collections.abc import Callable

from practice.grader.catalogue import Card
from practice.grader.isolate.launch import Child, Limits
from practice.grader.report import CaseResult, Finding, Report, Verdict


Seen = Callable[[CaseResult], object]


def grade(card: Card, source: bytes, file: str, seed: int | None = None, seen: Seen = lambda _: None) -> Report:
    """Grade `source` (called `file` in messages) as an answer to `card`; `seed` None draws fresh cases.

    `seen` is told each test's result as soon as it is in.
    Never raises for what an answer does; what goes wrong on the judge's side is a report with a `fault`.
    """
    started = time.monotonic()
    seed = secrets.randbits(63) if seed is None else seed
    results: list[CaseResult] = []
    fault: Finding | None = None
    child: Child | None = None
    try:
        with Child(Limits(card.time_limit)) as child:
            results = _results(child, card, source, file, seed, seen)
    except Exception as error:  # whatever it is, it must not count against the answer
        fields = {"error": f"{type(error).__name__}: {error}"}
        fault = Finding(Verdict.UNGRADED, "fault", fields, traceback=traceback.format_exc())
    return Report(
        exercise=card.id,
        file=file,
        results=tuple(results),
        isolation=tuple(child.layers) if child else (),
        seconds=time.monotonic() - started,
        seed=seed,
        printed=child.printed if child else "",
        printed_bytes=child.printed_bytes if child else 0,
        fault=fault,
    )


def _results(child: Child, card: Card, source: bytes, file: str, seed: int, seen: Seen) -> list[CaseResult]:
    # Imported here, once the child runs: both processes import torch at the same time.
    import torch

    from practice.grader.isolate.remote import RemoteAnswer
    from practice.grader.verify.exercise import load_exercise
    from practice.grader.verify.trial import Trial

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the cases are small: a second thread costs more than it brings
    try:
        trial = Trial(load_exercise(card), seed, file)
        child.wait_until_ready()
        answer = RemoteAnswer(child)
        failure = answer.load(source, file, card.function, trial.parameters)
        return trial.refuse(failure) if failure else trial.run(answer, seen)
    finally:
        torch.set_num_threads(threads)
