"""What is wrong with a choice of the best: any tied choice is right, so it is judged by scores, not by indices."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from practice.grader.report import Finding, Text, Verdict

UNSORTED = {
    "en": "the right ones in the wrong order: indices must be ascending",
    "zh": "选对了，但顺序不对：下标必须升序",
}


@dataclass(frozen=True)
class Noun:
    """What is chosen, and by what: "page" and "bound"; in Chinese with its measure word, "页" or "个 key"."""

    en: str
    zh: str
    score_en: str
    score_zh: str


def wrong_choice(
    kept: AbstractSet[int], count: int, forced: AbstractSet[int], scores: Sequence[float], slack: float, noun: Noun
) -> Text | None:
    """The first fault of `kept`: one that must be in is not, the number is not `count`, or a better one is left out.

    `scores` has one entry for everything that could be chosen, -inf for what must not be; those in `forced` do not
    compete.  Scores that are no more than `slack` apart count as equal.
    """
    hidden = [index for index in sorted(kept) if scores[index] == -float("inf") and index not in forced]
    if hidden:
        return {
            "en": f"{noun.en} {hidden[0]} must never be chosen: its {noun.score_en} is -inf",
            "zh": f"绝不能选第 {hidden[0]} {noun.zh}：它的{noun.score_zh}是 -inf",
        }
    missing = sorted(forced - kept)
    if missing:
        return {
            "en": f"{noun.en} {missing[0]} must always be kept, and is not",
            "zh": f"必须选第 {missing[0]} {noun.zh}，却没有选",
        }
    if len(kept) != count:
        return {
            "en": f"number of {noun.en}s: {len(kept)}, not {count}",
            "zh": f"选了 {len(kept)} {noun.zh}，应为 {count} {noun.zh}",
        }
    return _better_left_out(kept - forced, set(range(len(scores))) - kept - forced, scores, slack, noun)


def wrong_indices(
    row: Sequence[int],
    wanted: Sequence[int],
    forced: AbstractSet[int],
    scores: Sequence[float],
    slack: float,
    noun: Noun,
    where: Text,
) -> Finding | None:
    """The first fault of a choice that is told as ascending indices; `where` is said before it ("head 0")."""
    wrong = _no_indices(row, len(scores), noun) or wrong_choice(set(row), len(wanted), forced, scores, slack, noun)
    verdict = Verdict.WRONG if wrong else Verdict.CONTRACT
    if not wrong and list(row) != sorted(row):
        wrong = UNSORTED
    if not wrong:
        return None
    told = {"en": f"{where['en']}: {wrong['en']}", "zh": f"{where['zh']}：{wrong['zh']}"}
    return Finding(verdict, "exercise", told, str(list(wanted)), str(list(row)))


def _no_indices(row: Sequence[int], size: int, noun: Noun) -> Text | None:
    """An index of nothing, or the same one again."""
    for at, index in enumerate(row):
        if not 0 <= index < size:
            return {
                "en": f"there is no {noun.en} {index}, only 0 to {size - 1}",
                "zh": f"没有第 {index} {noun.zh}，只有 0 到 {size - 1}",
            }
        if index in row[:at]:
            return {"en": f"{noun.en} {index} is kept twice", "zh": f"重复保留了第 {index} {noun.zh}"}
    return None


def _better_left_out(
    kept: AbstractSet[int], left: AbstractSet[int], scores: Sequence[float], slack: float, noun: Noun
) -> Text | None:
    if not kept or not left:
        return None
    worst, best = min(kept, key=scores.__getitem__), max(left, key=scores.__getitem__)
    if scores[best] - scores[worst] <= slack:
        return None
    for digits in (6, 9, 17):  # as many as tell them apart
        low, high = f"{scores[worst]:.{digits}g}", f"{scores[best]:.{digits}g}"
        if low != high:
            break
    return {
        "en": f"keeps {noun.en} {worst} with {noun.score_en} {low} "
        f"and leaves out {noun.en} {best} with {noun.score_en} {high}",
        "zh": f"选了{noun.score_zh}为 {low} 的第 {worst} {noun.zh}，"
        f"却没选{noun.score_zh}为 {high} 的第 {best} {noun.zh}",
    }
