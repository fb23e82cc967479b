"""A batch from end to end: answers in, one row for each of them out, through the journal."""

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from practice.grader.batch.grading import MAX_POINTS, Request, digest_of
from practice.grader.batch.journal import Journal, Key
from practice.grader.batch.submissions import Answer
from practice.grader.catalogue import Card
from practice.grader.report import Verdict
from practice.grader.rows import Row, in_order

Grader = Callable[[Sequence[Request], Mapping[str, str]], Iterator[tuple[Request, Row]]]
"""Grades requests, given the versions of their exercises; rows come in any order, one for each request."""

Seen = Callable[[int, int], object]
"""Told how many rows there are of how many."""


def grade_answers(
    answers: Sequence[Answer],
    cards: Mapping[str, Card],
    journal: Journal,
    seed: int | None,
    grader: Grader,
    seen: Seen = lambda done, total: None,
    *,
    isolated: bool = False,
) -> list[Row]:
    """The rows of `answers`, in order; what the journal holds is not graded again.

    `seed` None goes on with the journal's, or draws a secret one: all students get the same cases.  A row that the
    judge failed to grade is not kept in the journal: the next run tries again.  Where isolation is required
    (`isolated`), only rows count that were graded so.
    """
    journal.begin(seed if seed is not None else secrets.randbits(63) if journal.seed is None else journal.seed)
    assert journal.seed is not None
    digests = {exercise: digest_of(card) for exercise, card in cards.items()}
    rows = [_not_graded(answer) for answer in answers if answer.outcome]
    keys: dict[tuple[str, str], Key] = {}
    requests = []
    for answer in answers:
        if answer.outcome:
            continue
        key = Key(answer.student, answer.exercise, answer.digest, digests[answer.exercise], journal.seed, isolated)
        held = journal.rows.get(key) or journal.rows.get(replace(key, isolated=True))
        if held:
            rows.append(held)
            continue
        keys[answer.student, answer.exercise] = key
        requests.append(Request(answer.student, answer.exercise, answer.file, answer.source, journal.seed))
    seen(len(rows), len(answers))
    if requests:
        for request, row in grader(requests, digests):
            if row.outcome != Verdict.UNGRADED:
                journal.add(keys[request.student, request.exercise], row)
            rows.append(row)
            seen(len(rows), len(answers))
    return in_order(rows)


def _not_graded(answer: Answer) -> Row:
    """The row of what needs no judge: nothing is there to run, so it is worth nothing."""
    return Row(answer.student, answer.exercise, answer.outcome, 0.0, MAX_POINTS, answer.file, answer.reason)
