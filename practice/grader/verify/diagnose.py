"""What is behind a failure: the smallest input that fails, and the known mistake that gives the same outputs."""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

import torch
from torch import Tensor

from practice.grader.isolate.remote import Failure, Returned
from practice.grader.isolate.values import Value
from practice.grader.report import GRAVITY, Example, Finding, Misconception, Verdict
from practice.grader.verify.compare import tolerance
from practice.grader.verify.examples import as_example
from practice.grader.verify.exercise import load_mutants
from practice.grader.verify.in_process import AnswerHere
from practice.grader.verify.trial import Answer, Attempt, Trial

SMALL_CALLS = 60
MOST_NAMED = 3
REDUCTION = 4096
"""Length of the float32 sums that two implementations of one mistake may take in another order.  In a half precision
the same allowance would be several times the values themselves: there only a few roundings may differ."""

SAME_FLOATS = 1e-12
"""How far two implementations of one mistake may differ in a Python float, relative to it."""

EXPLAINED = (Verdict.WRONG, Verdict.CONTRACT, Verdict.ERROR)

Diagnosis = tuple[Example | None, tuple[Misconception, ...]]


def diagnose(trial: Trial, answer: Answer) -> Diagnosis:
    """The smallest failing input and the known mistakes of an answer that has run through `trial`.

    The input fails as most tests do, not as the gravest: one edge must not hide the mistake behind the rest.
    """
    failed = [attempt for attempt in trial.attempts if attempt.finding]
    findings = [attempt.finding for attempt in failed if attempt.finding]
    if not failed or any(not _is_explained(finding) for finding in findings):
        return None, ()
    counts = Counter(finding.verdict for finding in findings)
    commonest = max(counts, key=lambda verdict: (counts[verdict], GRAVITY[verdict]))
    first = min((attempt for attempt in failed if _verdict(attempt) is commonest), key=_how_large)
    small = _try_small_cases(trial, answer, first)
    example = as_example(_clearest(small, first), trial.exercise.outputs, trial.exercise.card.function)
    return example, name_mistakes(trial, [*small, *trial.attempts])


def name_mistakes(trial: Trial, attempts: Iterable[Attempt]) -> tuple[Misconception, ...]:
    """The mistakes whose mutants reply as the answer did on every failed attempt.

    Of several, those that also fail on the fewest cases that the answer passed: they fit it best.
    """
    attempts = sorted(attempts, key=lambda attempt: attempt.case.size)
    failed = [attempt for attempt in attempts if attempt.finding]
    telling = [attempt for attempt in failed if not attempt.case.is_ambiguous] or failed
    passed = [attempt.case for attempt in attempts if not attempt.finding]
    misfits: dict[str, int] = {}
    named: dict[str, Misconception] = {}
    for mutant in load_mutants(trial.exercise.card):
        mistaken = AnswerHere(mutant.function)
        if all(same_reply(mistaken.call(list(each.case.arguments.values())), each.reply) for each in telling):
            count = sum(trial.attempt(mistaken, case).finding is not None for case in passed)
            mistake = mutant.misconception
            misfits[mistake.id] = min(count, misfits.get(mistake.id, count))
            named[mistake.id] = mistake
    fewest = min(misfits.values(), default=0)
    best = [named[mistake_id] for mistake_id, count in misfits.items() if count == fewest]
    return tuple(best[:MOST_NAMED])


def _is_explained(finding: Finding) -> bool:
    return finding.verdict in EXPLAINED and finding.key != "unwritten"


def _verdict(attempt: Attempt) -> Verdict:
    return attempt.finding.verdict if attempt.finding else Verdict.PASS


def _how_large(attempt: Attempt) -> tuple[bool, int]:
    """Order of what to look at: an empty input, smallest of all, shows nothing."""
    return attempt.case.size == 0, attempt.case.size


def _try_small_cases(trial: Trial, answer: Answer, like: Attempt) -> list[Attempt]:
    """Attempts at the small cases, in order, up to one that fails just as `like` does, or ends the process."""
    attempts: list[Attempt] = []
    for case in islice(trial.small_cases, SMALL_CALLS):
        attempt = trial.attempt(answer, case)
        if attempt.finding and not _is_explained(attempt.finding):
            break
        attempts.append(attempt)
        if _alike(attempt, like) == (True, True):
            break
    return attempts


def _clearest(small: Sequence[Attempt], first: Attempt) -> Attempt:
    """Of the attempts, the smallest that fails most like `first`; `first` itself where no small one has its verdict."""
    alike = [attempt for attempt in small if _alike(attempt, first)[0]]
    return max(alike, key=lambda attempt: _alike(attempt, first), default=first)


def _alike(attempt: Attempt, other: Attempt) -> tuple[bool, bool]:
    """Whether a non-empty attempt fails with the same verdict as another one, and in the same words."""
    if not attempt.finding or not other.finding or not attempt.case.size:
        return False, False
    same_verdict = attempt.finding.verdict is other.finding.verdict
    return same_verdict, same_verdict and attempt.finding.key == other.finding.key


def same_reply(first: Returned | Failure, second: Returned | Failure) -> bool:
    """Whether two calls ended alike: the same type of exception, or the same values returned and left behind."""
    if isinstance(first, Returned) and isinstance(second, Returned):
        return _same(first.outputs, second.outputs) and _same(first.inputs, second.inputs)
    if isinstance(first, Failure) and isinstance(second, Failure):
        return (first.kind, first.type) == (second.kind, second.type)
    return False


def _same(first: Value, second: Value) -> bool:
    """Equality; floating-point values may differ by what another order of summation gives."""
    if isinstance(first, Tensor) and isinstance(second, Tensor):
        if first.shape != second.shape or first.dtype != second.dtype:
            return False
        if not first.dtype.is_floating_point:
            return torch.equal(first, second)
        reduction = REDUCTION if first.dtype.itemsize >= torch.float32.itemsize else 1
        return torch.allclose(first, second, rtol=0, atol=tolerance(first, reduction), equal_nan=True)
    if isinstance(first, tuple | list) and isinstance(second, tuple | list):
        same_kind = type(first) is type(second) and len(first) == len(second)
        return same_kind and all(_same(*pair) for pair in zip(first, second, strict=True))
    if type(first) is float and type(second) is float:
        return math.isclose(first, second, rel_tol=SAME_FLOATS) or (math.isnan(first) and math.isnan(second))
    return type(first) is type(second) and first == second
