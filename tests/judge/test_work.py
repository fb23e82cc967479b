"""The work of a call: counted, shown, and never trusted."""

import dataclasses
from collections.abc import Callable

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from practice.grader.catalogue import find_card
from practice.grader.isolate.remote import COUNT_LIMIT, RemoteAnswer
from practice.grader.isolate.wire import Frame
from practice.grader.isolate.work import count_work
from practice.grader.report import Verdict, Work
from practice.grader.verify.exercise import load_exercise
from practice.grader.verify.trial import Trial
from practice.grader.verify.verifier import grade
from practice.grader.verify.work import compare_work

A, B, INDEX = torch.ones(4, 8), torch.ones(8, 16), torch.tensor([0, 2])
COUNTED = {
    "a product": (lambda: A @ B, 2 * 4 * 8 * 16, 4 * (4 * 8 + 8 * 16)),
    "a sum of two": (lambda: A + A, 32, 2 * 32 * 4),
    "a reduction": (lambda: A.sum(), 32, 32 * 4),
    "a maximum": (lambda: A.amax(1), 32, 32 * 4),
    "a view": (lambda: A[1:].mT, 0, 0),
    "a gather": (lambda: A[INDEX], 0, 2 * 8 * 4 + 2 * 8),
    "a comparison of integers": (lambda: INDEX > 1, 0, 2 * 8),
    "a broadcast": (lambda: A[:1].expand(4, 8) * A, 32, 8 * 4 + 32 * 4),
    "attention": (lambda: scaled_dot_product_attention(*[torch.ones(1, 1, 4, 8)] * 3), 2 * 2 * 4 * 4 * 8, None),
}


@pytest.mark.parametrize(("call", "flops", "bytes_read"), COUNTED.values(), ids=COUNTED)
def test_counts(call: Callable[[], object], flops: int, bytes_read: int | None) -> None:
    counted = count_work(call, [])
    assert counted[0] >= flops if bytes_read is None else counted == (flops, bytes_read)


class Says:
    def __init__(self, header: dict[str, object]) -> None:
        self.header = header

    def ask(self, header: object, body: bytes = b"") -> Frame:
        return Frame(self.header)


@pytest.mark.parametrize("count", [-1, True, 1.5, "9", None, COUNT_LIMIT, [1]])
def test_counts_that_are_no_counts_are_left_out(count: object) -> None:
    for header in ({"flops": count, "bytes_read": 1}, {"flops": 1, "bytes_read": count}):
        assert RemoteAnswer(Says({"kind": "counted", **header})).count([]) is None  # type: ignore[arg-type]
    told = RemoteAnswer(Says({"kind": "counted", "flops": 2, "bytes_read": 3}))  # type: ignore[arg-type]
    assert told.count([]) == (2, 3)


def test_dense_work_is_shown_where_the_exercise_has_it() -> None:
    exercise = load_exercise(find_card("quest_select"))
    dense = dataclasses.replace(
        exercise, dense=lambda q, k, budget, page: q @ k.repeat_interleave(len(q) // len(k), 0).mT
    )
    answer = RemoteAnswer(Says({"kind": "failed"}))  # type: ignore[arg-type]
    assert [work.who for work in compare_work(Trial(exercise, 0, ""), answer)] == ["reference"]
    assert [work.who for work in compare_work(Trial(dense, 0, ""), answer)] == ["reference", "dense"]


def test_work_of_an_answer_beside_the_reference() -> None:
    card = find_card("evict_sinks")
    source = (card.folder / "reference.py").read_bytes()
    report = grade(card, source, "answer.py", count_work=True)
    answer, reference = report.work
    assert report.verdict is Verdict.PASS
    assert answer == dataclasses.replace(reference, who="answer")
    assert reference.bytes_read > 0
    assert grade(card, source, "answer.py").work == ()


def test_work_is_advice_and_never_a_verdict() -> None:
    """An answer that notices the counting and fails in it, and one that lies about it."""
    right = (find_card("evict_sinks").folder / "reference.py").read_text(encoding="utf-8")
    notices = "\nright, calls = evict_sinks, []\ndef evict_sinks(*arguments):\n    calls.append(1)\n"
    count = len(Trial(load_exercise(find_card("evict_sinks")), 0, "").cases)
    fails = f"{right}{notices}    if len(calls) > {count}: raise ValueError\n    return right(*arguments)\n"
    report = grade(find_card("evict_sinks"), fails.encode(), "answer.py", count_work=True)
    assert (report.verdict, [work.who for work in report.work]) == (Verdict.PASS, ["reference"])
    lies = f"{right}\nimport practice.grader.isolate.answer as here\nhere.count_work = lambda *_: (1, 2)\n"
    report = grade(find_card("evict_sinks"), lies.encode(), "answer.py", count_work=True)
    assert report.verdict in (Verdict.PASS, Verdict.ERROR)
    assert all(work.flops >= 0 for work in report.work if isinstance(work, Work))


def test_the_work_of_plain_numbers_is_not_told() -> None:
    card = find_card("crossover")
    report = grade(card, (card.folder / "reference.py").read_bytes(), "answer.py", count_work=True)
    assert (report.verdict, report.work) == (Verdict.PASS, ())
