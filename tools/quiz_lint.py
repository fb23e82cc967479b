"""What a chapter's quiz must keep to: whole, in both languages, its numbers explained, and nothing that gives an answer
away to who has not read the chapter.

`python tools/quiz_lint.py` checks ``notebooks/quiz/*.toml``; what a file holds is told in `mini_llm/show/quiz.py`.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator, Set
from itertools import combinations
from pathlib import Path

import giveaways
from giveaways import FIGURE, LANGUAGES
from mini_llm.longctx.ledger import QUOTE
from mini_llm.show.quiz import FOLDER, Question, read
from provenance import unexplained

SOURCES = FOLDER.parent / "source"

FIELDS = {
    "choice": {"option"},
    "number": {
        "right",
        "tolerance",
        "mistake",
        *(f"{part}_{lang}" for part in ("unit", "why", "hint") for lang in LANGUAGES),
    },
    "order": {"item", "why_en", "why_zh"},
}
PARTS = {
    "option": {"why_en", "why_zh"},
    "mistake": {"value", "why_en", "why_zh"},
    "item": {"place", "why_en", "why_zh"},
}
UNKNOWN_MARKUP = re.compile(r"\*[^\s*][^*]*\*|\]\(|\$|<\w")


def lint(path: Path) -> list[str]:
    """What is wrong with one quiz, a line each, with the question's id in front."""
    raw: list[Question] = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
    found = [line for question in raw for line in _whole(question)]
    doubled = [name for name, times in Counter(question.get("id") for question in raw).items() if times > 1]
    found += [f"{name}: two questions have this id" for name in doubled]
    if found:
        return found  # what follows relies on every part being there
    resolved = read(path)
    (source,) = SOURCES.glob(f"{path.stem}_*.md")
    chapter = source.read_text(encoding="utf-8")
    for question, numbers in zip(raw, resolved, strict=True):
        checks = {"choice": giveaways.in_question, "number": _number, "order": _order}[question["kind"]](numbers)
        found += [f"{question['id']}: {line}" for line in (*_texts(question, chapter), *checks)]
    choices = [question for question in resolved if question["kind"] == "choice"]
    return found or list(giveaways.in_quiz(choices))  # which counts on one right option each


def _whole(question: Question) -> Iterator[str]:
    """Every field that the kind asks for, in both languages, and no other."""
    name, kind = question.get("id", "?"), question.get("kind")
    if kind not in FIELDS:
        yield f"{name}: kind {kind!r} is none of {', '.join(FIELDS)}"
        return
    yield from _fields(name, question, {"id", "kind", "section", *LANGUAGES} | FIELDS[kind])
    for part, needed in PARTS.items():
        for one in question.get(part, []) if part in FIELDS[kind] else []:
            needs = needed if part == "mistake" else needed | set(LANGUAGES)
            if one.get("place") == 1:
                needs = needs - {"why_en", "why_zh"}  # nothing stands before it
            yield from _fields(f"{name}, {part}", one, needs, {"right"} if part == "option" else set())


def _fields(name: str, table: Question, needed: set[str], allowed: Set[str] = frozenset()) -> Iterator[str]:
    for key in sorted(needed):
        if table.get(key) in (None, "", []):
            yield f"{name}: {key} is missing"
    for key in sorted(table.keys() - needed - allowed):
        yield f"{name}: {key} is not known"


def _prose(question: Question, language: str) -> list[str]:
    """All texts of a question in one language."""
    parts = [question, *(one for part in PARTS for one in question.get(part, []))]
    return [str(one[key]) for one in parts for key in one if key == language or key.endswith(f"_{language}")]


def _texts(question: Question, chapter: str) -> Iterator[str]:
    code = re.findall(r"^```python\n(.*?)^```", chapter, re.MULTILINE | re.DOTALL)
    if not re.search(rf"^## {question['section']}\. ", chapter, re.MULTILINE):
        yield f"the chapter has no section {question['section']}"
    quotes = []
    for language in LANGUAGES:
        prose = _prose(question, language)
        quotes.append(sorted(QUOTE.findall("\n".join(prose))))
        yield from (f"{language}: {number} comes from nowhere" for number in unexplained("\n".join(prose), code))
        for text in prose:
            if UNKNOWN_MARKUP.search(text) or text.count("`") % 2:
                yield f"{language}: only `code` is set as such, in {text[:40]!r}"
            if language == "en" and re.search(r"[\u4e00-\u9fff]", text):
                yield f"en: Chinese in {text[:40]!r}"
            if language == "zh" and re.search(r"[\u4e00-\u9fff][,:;?!()]|[,;?!][\u4e00-\u9fff]", text):
                yield f"zh: Western punctuation in {text[:40]!r}"
    if quotes[0] != quotes[1]:
        yield "the languages quote different numbers"


def _number(question: Question) -> Iterator[str]:
    tolerance = question["tolerance"]
    if not 0 < tolerance <= 0.05:
        yield f"tolerance {tolerance} is not within 0 to 0.05"
    answers = [(question["right"], question)] + [(mistake["value"], mistake) for mistake in question["mistake"]]
    for (one, _), (other, _) in combinations(answers, 2):
        if abs(one - other) <= tolerance * (abs(one) + abs(other)):
            yield f"{one:g} and {other:g} cannot be told apart with tolerance {tolerance}"
    for value, reason in answers:
        for language in LANGUAGES:
            shown = [float(figure.replace(",", "")) for figure in FIGURE.findall(reason[f"why_{language}"])]
            if not any(abs(figure - value) <= tolerance * abs(value) for figure in shown):
                yield f"{language}: the reason for {value:g} does not show how it comes about"


def _order(question: Question) -> Iterator[str]:
    places = [item["place"] for item in question["item"]]
    if len(places) < 4 or sorted(places) != list(range(1, len(places) + 1)):
        yield f"places are {places}: needed are 1, 2, ... of at least 4 items"
    if places == sorted(places):
        yield "the items stand in the right order in the file"


if __name__ == "__main__":
    problems = [f"{path.name}: {line}" for path in sorted(FOLDER.glob("*.toml")) for line in lint(path)]
    print("\n".join(problems) or "every quiz keeps to the rules")
    sys.exit(bool(problems))
