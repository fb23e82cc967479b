"""What gives a quiz's answers away to who has not read the chapter: in one question, and in the habits of a quiz."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from mini_llm.show.quiz import Question

LANGUAGES = ("en", "zh")
FIGURE = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")

_CATCH_ALL = re.compile(
    r"\b(?:all|none|both|neither|any) of (?:the above|the others|these|them)\b|以上|都不对|都对|都不是", re.IGNORECASE
)
_HEDGE = re.compile(
    r"\b(?:about|mostly|often|usually|roughly|may|might|tends?|some)\b|大约|往往|通常|多半|大多|常常|可能|有些",
    re.IGNORECASE,
)
_ABSOLUTE = re.compile(
    r"\b(?:always|never|must|only|every|all|nothing|none|whatever|cannot)\b|总是|从不|一定|必|所有|全部|任何|只",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z][a-z0-9_.-]{4,}", re.IGNORECASE)
_SIGNS = re.compile(r"[\s.,:;。，：；]")


def in_question(question: Question) -> Iterator[str]:
    """What is wrong with the options of one choice."""
    options = question["option"]
    if [bool(option.get("right")) for option in options].count(True) != 1 or not 3 <= len(options) <= 5:
        yield "needs 3 to 5 options, one of them right"
        return
    for language in LANGUAGES:
        (right,) = (option[language] for option in options if option.get("right"))
        wrong = [option[language] for option in options if not option.get("right")]
        for one, other in combinations([right, *wrong], 2):
            if _SIGNS.sub("", one.lower()) == _SIGNS.sub("", other.lower()):
                yield f"{language}: two options are the same: {one!r}"
        for text in filter(_CATCH_ALL.search, (right, *wrong)):
            yield f"{language}: {text!r} answers for the others"
        if _width(right) > 1.5 * max(map(_width, wrong)):
            yield f"{language}: the right option is by far the longest"
        for what, sign in (("a number", FIGURE), ("a hedge", _HEDGE)):
            if sign.search(right) and not any(map(sign.search, wrong)):
                yield f"{language}: only the right option has {what}"
        echoes = [_words(text) & _words(question[language]) for text in (right, *wrong)]
        echo = echoes[0].difference(*echoes[1:])
        if echo and not any(one - echoes[0] for one in echoes[1:]):
            yield f"{language}: only the right option repeats the question's {sorted(echo)}"


def _width(text: str) -> int:
    """How long a text looks: a Chinese character is as wide as two letters."""
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


def _words(text: str) -> set[str]:
    """Words of five letters and more; of Chinese, every three neighbouring characters."""
    chinese = re.findall(r"[\u4e00-\u9fff]+", text)
    triples = {run[at : at + 3] for run in chinese for at in range(len(run) - 2)}
    return {word.lower() for word in _WORD.findall(text)} | triples


def in_quiz(questions: list[Question]) -> Iterator[str]:
    """What a quiz gives away as a whole: habits that tell the right option without reading."""
    if len(questions) < 3:
        return
    rights = [next(at for at, option in enumerate(q["option"]) if option.get("right")) for q in questions]
    place, times = Counter(rights).most_common(1)[0]
    if times > len(questions) / 2:
        yield f"the right option is number {place + 1} in {times} of {len(questions)} questions"
    for language in LANGUAGES:
        texts = [[option[language] for option in q["option"]] for q in questions]
        for what, sign in (("longest", 1), ("shortest", -1)):
            widths = [[sign * _width(text) for text in row] for row in texts]
            times = sum(max(row) == row[at] > sorted(row)[-2] for row, at in zip(widths, rights, strict=True))
            if times > len(questions) / 2:
                yield f"{language}: the right option is the {what} in {times} of {len(questions)} questions"
        right = any(_ABSOLUTE.search(row[at]) for row, at in zip(texts, rights, strict=True))
        wrong = sum(bool(_ABSOLUTE.search(text)) for row in texts for text in row)
        if wrong >= 3 and not right:
            yield f"{language}: words such as “all” or “never” stand in {wrong} wrong options and in no right one"
