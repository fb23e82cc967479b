"""The command of who writes exercises: lint."""

import argparse
import json

from practice.grader.catalogue import all_cards
from practice.grader.commands.common import find, show
from practice.grader.tell.messages import Language, say

SEEDS = 200


def take_lint(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the arguments of `lint`."""
    parser.add_argument("exercises", metavar="ID", nargs="*", help=say(lang, "help_exercises"))
    parser.add_argument("--seeds", metavar="N", type=_count, default=SEEDS, help=say(lang, "help_seeds", default=SEEDS))
    parser.add_argument("--json", action="store_true", help=say(lang, "help_json"))


def lint(options: argparse.Namespace, lang: Language) -> int:
    """Prove exercises sound: 0 where all are, else 1."""
    cards = [find(exercise, lang) for exercise in options.exercises] or all_cards()
    import torch

    from practice.grader.lint.prove import prove
    from practice.grader.tell.soundness import render_soundness, soundness_as_json

    torch.set_num_threads(1)  # the cases are small: a second thread costs more than it brings
    all_found = []
    for card in cards:
        all_found.append(found := prove(card, range(options.seeds)))
        if not options.json:
            show(render_soundness(found, lang))
    if options.json:
        show(json.dumps(soundness_as_json(all_found, options.seeds, lang)))
    return 0 if all(found.is_sound for found in all_found) else 1


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)
