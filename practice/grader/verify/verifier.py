"""Grades one answer: starts the process for it, judges what comes back, and reports."""

import secrets
import time
import traceback
from collections.abc import Callable
from dataclasses import replace

from practice.grader.catalogue import Card
from practice.grader.isolate import spare
from practice.grader.isolate.forking import NotStarted, can_fork, end_zygote, zygote
from practice.grader.isolate.launch import PRINTED_LIMIT, Child, Limits
from practice.grader.report import CaseResult, Finding, Report, Verdict

Seen = Callable[[CaseResult], object]


def grade(
    card: Card,
    source: bytes,
    file: str,
    seed: int | None = None,
    seen: Seen = lambda _: None,
    *,
    count_work: bool = False,
    portable: bool = False,
) -> Report:
    """Grade `source` (called `file` in messages) as an answer to `card`; `seed` None draws fresh cases.

    `seen` is told each test's result as soon as it is in.  `count_work` also counts the work of one call.
    `portable` runs the answer without what only Linux has; so does a system on which forking fails, as the layers tell.
    Never raises for what an answer does; what goes wrong on the judge's side is a report with a `fault`.
    """
    started = time.monotonic()
    seed = secrets.randbits(63) if seed is None else seed
    report = Report(card.id, file, results=(), isolation=(), seconds=0.0, seed=seed)
    child: Child | None = None
    try:
        with Child(Limits(card.time_limit), portable) as child:
            report = _judge(child, card, source, report, seen, count_work)
    except Exception as error:  # whatever it is, it must not count against the answer
        if isinstance(error, NotStarted) and not portable:
            return grade(card, source, file, seed, seen, count_work=count_work, portable=True)
        fields = {"error": f"{type(error).__name__}: {error}"}
        fault = Finding(Verdict.UNGRADED, "fault", fields, traceback=traceback.format_exc())
        report = replace(report, fault=fault)
    if child:
        report = replace(
            report,
            isolation=tuple(child.layers),
            printed=child.printed,
            printed_bytes=child.printed_bytes,
            printed_shown=min(child.printed_bytes, PRINTED_LIMIT),
        )
    return replace(report, seconds=time.monotonic() - started)


def get_ready() -> None:
    """Start what the next grading would wait for: the process that answers come from, and what the judge imports."""
    if can_fork():
        zygote()
    else:
        spare.prepare()
    import practice.grader.verify.diagnose  # noqa: F401


def stand_down() -> None:
    """End what `get_ready` has started."""
    end_zygote()
    spare.end_waiting()


def _judge(child: Child, card: Card, source: bytes, report: Report, seen: Seen, count_work: bool) -> Report:
    """`report` with what the tests found, and what is behind it."""
    # Imported here, once the child runs: both processes import torch at the same time.
    import torch

    from practice.grader.isolate.remote import RemoteAnswer
    from practice.grader.verify.diagnose import diagnose
    from practice.grader.verify.exercise import load_exercise
    from practice.grader.verify.source import read_source
    from practice.grader.verify.trial import Trial
    from practice.grader.verify.work import compare_work

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # the cases are small: a second thread costs more than it brings
    try:
        taken = read_source(source, report.file, card)
        trial = Trial(load_exercise(card), report.seed, taken.name)
        child.wait_until_ready()
        answer = RemoteAnswer(child)
        failure = taken.finding or answer.load(taken.code, taken.name, card.function, trial.parameters)
        if failure:
            return replace(report, results=tuple(trial.refuse(failure)))
        results = trial.run(answer, seen)
        example, misconceptions = diagnose(trial, answer)
        work = compare_work(trial, answer) if count_work else ()
        return replace(report, results=tuple(results), example=example, misconceptions=misconceptions, work=work)
    finally:
        torch.set_num_threads(threads)
