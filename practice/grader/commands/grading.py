"""Commands that grade: run, and watch, which grades again at every save."""

import argparse
import sys
import time
from pathlib import Path

from practice.grader.catalogue import Card, all_cards
from practice.grader.commands.common import (
    answer_path,
    asked_for,
    command_line,
    find,
    no_answer,
    read_answer,
    remember_grading,
    show,
    shown,
    take_exercise,
    unreadable,
)
from practice.grader.report import Report, Verdict
from practice.grader.tell.as_json import as_json
from practice.grader.tell.messages import Language, say, sentence
from practice.grader.tell.terminal import render_report
from practice.grader.verify.verifier import get_ready, grade, stand_down
from practice.grader.watch import saves

EXIT_STATUS = {Verdict.PASS: 0, Verdict.UNGRADED: 3}


def take_run(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the arguments of `run`."""
    take_exercise(parser, lang)
    parser.add_argument("file", metavar="FILE", nargs="?", type=Path, help=say(lang, "help_file"))
    parser.add_argument("--json", action="store_true", help=say(lang, "help_json"))
    parser.add_argument("--seed", metavar="N", type=_seed, help=say(lang, "help_seed"))
    parser.add_argument("--portable", action="store_true", help=say(lang, "help_portable"))
    parser.add_argument("--work", action="store_true", help=say(lang, "help_work"))
    _take_verbose(parser, lang)


def run(options: argparse.Namespace, lang: Language) -> int:
    """Grade an answer and print the result."""
    card = find(options.exercise, lang)
    path = options.file or answer_path(card.id)
    try:
        source = read_answer(path)
    except OSError as error:
        if options.file or not isinstance(error, FileNotFoundError):
            raise unreadable(path, error, lang) from error
        raise no_answer(card.id, lang) from error
    file = str(options.file or shown(path))
    report = _grade(card, source, file, lang, options.seed, work=options.work, portable=options.portable)
    show(as_json(report, lang) if options.json else _page(report, card, lang, options.verbose))
    _tell_fault(report, lang)
    return EXIT_STATUS.get(report.verdict, 1)


def take_watch(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the arguments of `watch`."""
    parser.add_argument("exercise", metavar="ID", nargs="?", help=say(lang, "help_exercise"))
    _take_verbose(parser, lang)


def watch(options: argparse.Namespace, lang: Language) -> int:
    """Grade an answer, or whichever of those begun, at every save, until Ctrl-C."""
    cards = [find(options.exercise, lang)] if options.exercise else all_cards()
    watched = {answer_path(card.id): card for card in cards if answer_path(card.id).is_file()}
    if not watched:
        raise no_answer(cards[0].id, lang)
    try:
        for saved in saves(watched):
            if not saved:
                show(say(lang, "watching", answers=", ".join(map(shown, watched))))
            for path in sorted(saved):
                _grade_saved(watched[path], path, lang, options.verbose)
            get_ready()
    finally:
        stand_down()
    return 0


def _grade_saved(card: Card, path: Path, lang: Language, verbose: bool) -> None:
    try:
        source = read_answer(path)
    except OSError as error:  # gone again, or not to be read
        print(f"judge: {unreadable(path, error, lang)}", file=sys.stderr)
        return
    show("\n" + say(lang, "saved", time=time.strftime("%H:%M:%S"), answer=shown(path)))
    report = _grade(card, source, shown(path), lang)
    show(_page(report, card, lang, verbose))
    _tell_fault(report, lang)


def _grade(
    card: Card,
    source: bytes,
    file: str,
    lang: Language,
    seed: int | None = None,
    *,
    work: bool = False,
    portable: bool = False,
) -> Report:
    """Grade an answer, and remember how it went."""
    report = grade(card, source, file, seed, count_work=work, portable=portable)
    remember_grading(report, lang)
    return report


def _page(report: Report, card: Card, lang: Language, verbose: bool) -> str:
    again = command_line("run", card.id, report.file, "--seed", str(report.seed), *asked_for(lang))
    return render_report(report, card, lang, again, verbose=verbose)


def _tell_fault(report: Report, lang: Language) -> None:
    if report.fault:
        print(f"judge: {sentence(lang, report.fault)}\n{report.fault.traceback}", file=sys.stderr)


def _take_verbose(parser: argparse.ArgumentParser, lang: Language) -> None:
    parser.add_argument("-v", "--verbose", action="store_true", help=say(lang, "help_verbose"))


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) >= 1 << 63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2^63 - 1")
    return int(text)
