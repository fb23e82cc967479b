"""The commands of the judge.  Exit status: 0 passed, 1 not passed, 2 wrong usage, 3 not graded."""

import argparse
import contextlib
import io
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from practice.grader.catalogue import Card, UnknownExercise, all_cards, find_card
from practice.grader.report import Verdict
from practice.grader.tell.as_json import as_json
from practice.grader.tell.messages import LANGUAGES, Language, choose_language, say, sentence
from practice.grader.tell.terminal import render_list, render_report
from practice.grader.verify.verifier import grade

ANSWERS = Path(__file__).resolve().parents[1] / "answers"
DOOR = ANSWERS.with_name("judge.py")
USAGE_ERROR = 2
INTERRUPTED = 130
EXIT_STATUS = {Verdict.PASS: 0, Verdict.UNGRADED: 3}


class UsageError(Exception):
    """The command cannot be carried out as given; the message says why."""


def main(arguments: list[str]) -> int:
    """Carry out one command and return its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    lang = _language(arguments)
    try:
        options = _parser(lang).parse_args(arguments)
        command: Callable[[argparse.Namespace, Language], int] = options.command
        return command(options, lang)
    except UsageError as error:
        print(f"judge: {error}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        print(f"judge: {type(error).__name__}: {error}", file=sys.stderr)
        return EXIT_STATUS[Verdict.UNGRADED]
    except SystemExit as leaving:  # argparse's way out: 0 after --help, 2 after a wrong option
        return leaving.code if isinstance(leaving.code, int) else USAGE_ERROR


def list_exercises(_: argparse.Namespace, lang: Language) -> int:
    """Print the catalogue."""
    cards = all_cards()
    begun = {card.id for card in cards if _answer_path(card.id).exists()}
    print(render_list(cards, begun, _shown(ANSWERS), lang))
    return 0


def start(options: argparse.Namespace, lang: Language) -> int:
    """Copy the starter to practice/answers; a file that is there already is never touched."""
    card = _find(options.exercise, lang)
    path = _answer_path(card.id)
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("xb") as answer:
            answer.write((card.folder / "starter.py").read_bytes())
    except FileExistsError as error:
        if not path.exists():
            raise UsageError(say(lang, "no_file", file=path, reason=error.strerror)) from error
        print(say(lang, "kept", answer=_shown(path)))
        return 0
    except OSError as error:
        raise UsageError(say(lang, "no_file", file=path, reason=error.strerror)) from error
    statement = _shown(card.folder / f"statement.{lang}.md")
    print(say(lang, "started", answer=_shown(path), statement=statement, command=_command("run", card.id)))
    return 0


def run(options: argparse.Namespace, lang: Language) -> int:
    """Grade an answer and print the result."""
    card = _find(options.exercise, lang)
    path = options.file or _answer_path(card.id)
    try:
        source = path.read_bytes()
    except OSError as error:
        if options.file or not isinstance(error, FileNotFoundError):
            raise UsageError(say(lang, "no_file", file=path, reason=error.strerror)) from error
        raise UsageError(say(lang, "no_answer", answer=_shown(path), command=_command("start", card.id))) from error
    report = grade(card, source, str(options.file or _shown(path)), options.seed)
    again = _command("run", card.id, report.file, "--seed", str(report.seed))
    page = as_json(report, lang) if options.json else render_report(report, card, lang, again, verbose=options.verbose)
    with contextlib.suppress(BrokenPipeError):  # whoever read the output has left; the exit status still tells
        print(page, flush=True)
    if report.fault:
        print(f"judge: {sentence(lang, report.fault)}\n{report.fault.traceback}", file=sys.stderr)
    return EXIT_STATUS.get(report.verdict, 1)


def _find(exercise: str, lang: Language) -> Card:
    try:
        return find_card(exercise)
    except UnknownExercise as unknown:
        raise UsageError(say(lang, "unknown", exercise=exercise, nearest=", ".join(unknown.nearest))) from unknown


def _parser(lang: Language) -> argparse.ArgumentParser:
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--lang", choices=LANGUAGES, help=say(lang, "help_lang"))

    def layout(*examples: str) -> dict[str, Any]:
        epilog = "\n  ".join([say(lang, "example"), *examples]) + f"\n\n{say(lang, 'exit_status')}"
        return {"parents": [common], "epilog": epilog, "formatter_class": argparse.RawDescriptionHelpFormatter}

    commands = {"list": list_exercises, "start": start, "run": run}
    examples = {name: _command(name, *(["evict_sinks"] if name != "list" else [])) for name in commands}
    parser = argparse.ArgumentParser("judge.py", description=say(lang, "help"), **layout(*examples.values()))
    group = parser.add_subparsers(required=True, metavar="COMMAND")
    parsers = {}
    for name, command in commands.items():
        told = say(lang, f"help_{name}")
        parsers[name] = group.add_parser(name, help=told, description=told, **layout(examples[name]))
        parsers[name].set_defaults(command=command)
    for name in ("start", "run"):
        parsers[name].add_argument("exercise", metavar="ID", help=say(lang, "help_exercise"))
    parsers["run"].add_argument("file", metavar="FILE", nargs="?", type=Path, help=say(lang, "help_file"))
    parsers["run"].add_argument("--json", action="store_true", help=say(lang, "help_json"))
    parsers["run"].add_argument("--seed", metavar="N", type=_seed, help=say(lang, "help_seed"))
    parsers["run"].add_argument("-v", "--verbose", action="store_true", help=say(lang, "help_verbose"))
    return parser


def _language(arguments: list[str]) -> Language:
    """The language asked for; known before the parser is built, because its help is in that language too."""
    early = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    early.add_argument("--lang", choices=LANGUAGES)
    try:
        return early.parse_known_args(arguments)[0].lang or choose_language()
    except argparse.ArgumentError:
        return choose_language()


def _seed(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) >= 1 << 63:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to 2^63 - 1")
    return int(text)


def _command(*words: str) -> str:
    return shlex.join(["python", _shown(DOOR), *words])


def _answer_path(exercise: str) -> Path:
    return ANSWERS / f"{exercise}.py"


def _shown(path: Path) -> str:
    """A path as one would type it here."""
    try:
        here = Path.cwd()
    except OSError:  # a folder that is gone
        return str(path)
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
