"""The command export: what another system grades with."""

import argparse
from pathlib import Path

from practice.grader.commands.common import find, show, shown, unreadable
from practice.grader.tell.messages import Language, say


def take_export(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the arguments of `export`."""
    parser.add_argument("system", choices=["gradescope"], help=say(lang, "help_export_for"))
    parser.add_argument("exercises", metavar="ID", nargs="+", help=say(lang, "help_export_exercises"))
    parser.add_argument("-o", "--out", metavar="ZIP", type=Path, required=True, help=say(lang, "help_export_out"))


def export(options: argparse.Namespace, lang: Language) -> int:
    """Write an autograder's zip."""
    from practice.grader.batch.autograder import write_autograder

    cards = [find(exercise, lang) for exercise in dict.fromkeys(options.exercises)]
    try:
        write_autograder(options.out, cards, lang)
    except OSError as error:
        raise unreadable(options.out, error, lang) from error
    show(say(lang, "exported", file=shown(options.out), exercises=", ".join(card.id for card in cards)))
    return 0
