"""Hints, usual mistakes and progress as plain text for a terminal."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from practice.grader.catalogue import Card
from practice.grader.lessons import HINTS, Hint, Mistake
from practice.grader.progress import Record
from practice.grader.tell.messages import Language, say
from practice.grader.tell.terminal import render_table

BAR = 20


def render_hints(hints: Sequence[Hint], lang: Language) -> str:
    """The hints that are open, one after another."""
    heads = [say(lang, "hint_head", number=n, total=HINTS, title=hint.title) for n, hint in enumerate(hints, 1)]
    return "\n".join(f"{head}\n\n{hint.text}\n" for head, hint in zip(heads, hints, strict=True))


def render_mistakes(mistakes: Sequence[Mistake], lang: Language) -> str:
    """The gallery: what each mistake is, then the lines that make it."""
    lines = [say(lang, "reveal_mistakes", count=len(mistakes))]
    for mistake in mistakes:
        lines += ["", f"{mistake.misconception.id}: {mistake.misconception.text[lang]}"]
        lines += [f"    {line}" for line in mistake.code]
    return "\n".join(lines)


def render_status(cards: Sequence[Card], records: Mapping[str, Record], lang: Language) -> str:
    """One line a chapter, then the sum; `cards` in the order of the chapters."""
    rows = [say(lang, "status_head").split("|")]
    for chapter, group in groupby(cards, key=lambda card: card.chapter):
        rows.append([chapter, *_counts(list(group), records)])
    rows.append([say(lang, "status_sum"), *_counts(cards, records)])
    return render_table(rows)


def _counts(cards: Sequence[Card], records: Mapping[str, Record]) -> list[str]:
    known = [records[card.id] for card in cards if card.id in records]
    passed = sum(bool(record.passed_at) for record in known)
    full = BAR * passed // len(cards)
    bar = f"[{'#' * full}{'.' * (BAR - full)}]"
    return [bar, f"{passed}/{len(cards)}", f"{sum(record.hints for record in known)}/{HINTS * len(cards)}"]
