"""Choices of the best are judged by scores: any tie is free, any worse one is told."""

import pytest

from practice.grader.report import Verdict
from practice.grader.verify.choice import Noun, wrong_choice, wrong_indices

KEYS = Noun("key", "个 key", "score", "分数")
SCORES = [5.0, -float("inf"), 3.0, 3.0, 1.0]
HEAD = {"en": "head 0", "zh": "第 0 个头"}


def told(kept: set[int], count: int = 2, forced: set[int] | None = None, slack: float = 0.0) -> str:
    wrong = wrong_choice(kept, count, forced or set(), SCORES, slack, KEYS)
    return wrong["en"] if wrong else ""


@pytest.mark.parametrize("kept", [{0, 2}, {0, 3}])
def test_any_tied_choice_is_right(kept: set[int]) -> None:
    assert told(kept) == ""


@pytest.mark.parametrize(
    ("kept", "words"),
    [
        ({0, 4}, "keeps key 4 with score 1 and leaves out key 2 with score 3"),
        ({2, 3}, "keeps key 2 with score 3 and leaves out key 0 with score 5"),
        ({0}, "number of keys: 1, not 2"),
        ({0, 2, 3}, "number of keys: 3, not 2"),
        ({0, 1}, "key 1 must never be chosen: its score is -inf"),
    ],
)
def test_a_worse_choice_is_told(kept: set[int], words: str) -> None:
    assert told(kept) == words


def test_what_is_forced_does_not_compete() -> None:
    assert told({0, 4}, forced={4}) == ""
    assert told({0, 2}, forced={4}) == "key 4 must always be kept, and is not"
    assert told({2, 4}, forced={4}) == "keeps key 2 with score 3 and leaves out key 0 with score 5"


def test_scores_within_the_slack_are_equal() -> None:
    assert told({2, 3}, slack=2.0) == ""
    assert told({2, 3}, slack=1.9) != ""


def test_scores_that_differ_in_the_last_digit_are_told_apart() -> None:
    scores = [1.0, 1.0 + 2**-20]
    wrong = wrong_choice({0}, 1, set(), scores, 0.0, KEYS)
    assert wrong
    assert wrong["en"] == "keeps key 0 with score 1 and leaves out key 1 with score 1.00000095"


@pytest.mark.parametrize(
    ("row", "verdict", "words"),
    [
        ([0, 5], Verdict.WRONG, "head 0: there is no key 5, only 0 to 4"),
        ([-1, 0], Verdict.WRONG, "head 0: there is no key -1, only 0 to 4"),
        ([0, 0], Verdict.WRONG, "head 0: key 0 is kept twice"),
        ([0, 4], Verdict.WRONG, "head 0: keeps key 4 with score 1 and leaves out key 2 with score 3"),
        ([2, 0], Verdict.CONTRACT, "head 0: the right ones in the wrong order: indices must be ascending"),
    ],
)
def test_indices_are_keys_once_and_ascending(row: list[int], verdict: Verdict, words: str) -> None:
    finding = wrong_indices(row, [0, 2], set(), SCORES, 0.0, KEYS, HEAD)
    assert finding
    assert (finding.verdict, finding.fields["en"]) == (verdict, words)
    assert (finding.expected, finding.got) == ("[0, 2]", str(row))


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ([0, 5], "第 0 个头：没有第 5 个 key，只有 0 到 4"),
        ([0, 0], "第 0 个头：重复保留了第 0 个 key"),
        ([0, 1], "第 0 个头：绝不能选第 1 个 key：它的分数是 -inf"),
        ([0, 4], "第 0 个头：选了分数为 1 的第 4 个 key，却没选分数为 3 的第 2 个 key"),
        ([2, 0], "第 0 个头：选对了，但顺序不对：下标必须升序"),
    ],
)
def test_the_same_in_chinese(row: list[int], words: str) -> None:
    finding = wrong_indices(row, [0, 2], set(), SCORES, 0.0, KEYS, HEAD)
    assert finding
    assert finding.fields["zh"] == words


def test_where_nothing_is_kept_or_left_nothing_is_better() -> None:
    assert told(set(), count=0) == ""
    assert wrong_choice({0, 1}, 2, set(), [1.0, 2.0], 0.0, KEYS) is None


def test_right_indices_have_no_fault() -> None:
    assert wrong_indices([0, 3], [0, 2], set(), SCORES, 0.0, KEYS, HEAD) is None
