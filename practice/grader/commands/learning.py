"""Commands that help on: hint, reveal, status."""

import argparse
from collections.abc import Sequence
from dataclasses import replace

from practice.grader.catalogue import Card, all_cards
from practice.grader.commands.common import (
    UsageError,
    answer_path,
    command_line,
    find,
    recall,
    remember,
    show,
    shown,
)
from practice.grader.lessons import HINTS, Hint, read_hints, read_mistakes
from practice.grader.progress import Record
from practice.grader.tell.lessons import render_hints, render_mistakes, render_status
from practice.grader.tell.messages import Language, say


def hint(options: argparse.Namespace, lang: Language) -> int:
    """Open the next hint and print all that are open."""
    card = find(options.exercise, lang)
    hints = open_hint(card, lang)
    show(render_hints(hints, lang))
    show(what_follows(card, hints, lang))
    return 0


def what_follows(card: Card, hints: Sequence[Hint], lang: Language) -> str:
    """What to do once these hints are open: the command for the next one, or for the reference."""
    key, command = ("hint_next", "hint") if len(hints) < HINTS else ("hint_last", "reveal")
    return say(lang, key, command=command_line(command, card.id))


def open_hint(card: Card, lang: Language) -> list[Hint]:
    """Open the next hint; returns all that are open."""
    hints = read_hints(card, lang)
    record = remember(card.id, lambda record: replace(record, hints=min(HINTS, record.hints + 1)), lang)
    return hints[: record.hints]


def reveal(options: argparse.Namespace, lang: Language) -> int:
    """Show the reference, then the usual mistakes; only to who has tried."""
    card = find(options.exercise, lang)
    if not recall(lang).get(card.id, Record()).gradings:
        raise UsageError(say(lang, "untried", exercise=card.id, command=command_line("run", card.id)))
    reference = card.folder / "reference.py"
    show(say(lang, "reveal_reference", file=shown(reference)))
    show("\n" + reference.read_text(encoding="utf-8"))
    show(render_mistakes(read_mistakes(card), lang))
    show("\n" + say(lang, "reveal_own", folder=shown(card.folder)))
    remember(card.id, lambda record: replace(record, revealed=True), lang)
    return 0


def status(_: argparse.Namespace, lang: Language) -> int:
    """Print the progress by chapter, and what to do next."""
    cards, records = all_cards(), recall(lang)
    show(render_status(cards, records, lang))
    following = next((card for card in cards if not records.get(card.id, Record()).passed_at), None)
    if following is None:
        show(say(lang, "status_all"))
        return 0
    command = command_line("run" if answer_path(following.id).exists() else "start", following.id)
    show(say(lang, "status_next", exercise=following.id, title=following.title[lang], command=command))
    return 0
