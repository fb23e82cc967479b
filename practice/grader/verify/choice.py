"""What is wrong with a choice of the best: any tied choice is right, so it is judged by scores, not by indices."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from practice.grader.report import Text


@dataclass(frozen=True)
class Noun:
    """What is chosen, and by what: "page" and "bound"."""

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
            "zh": f"绝不能选第 {hidden[0]} 个{noun.zh}：它的{noun.score_zh}是 -inf",
        }
    missing = sorted(forced - kept)
    if missing:
        return {
            "en": f"{noun.en} {missing[0]} must always be kept, and is not",
            "zh": f"必须保留第 {missing[0]} 个{noun.zh}，却没有保留",
        }
    if len(kept) != count:
        return {
            "en": f"number of {noun.en}s: {len(kept)}, not {count}",
            "zh": f"选了 {len(kept)} 个{noun.zh}，应为 {count} 个",
        }
    return _better_left_out(kept - forced, set(range(len(scores))) - kept - forced, scores, slack, noun)


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
        "zh": f"选了{noun.score_zh}为 {low} 的第 {worst} 个{noun.zh}，"
        f"却没选{noun.score_zh}为 {high} 的第 {best} 个{noun.zh}",
    }
