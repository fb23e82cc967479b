"""The command line of the judge.  Exit status: 0 passed, 1 not passed, 2 wrong usage, 3 not graded."""

import argparse
import functools
import io
import os
import sys
from pathlib import Path
from typing import cast

from practice.grader.commands.answers import list_exercises, reset, start, take_reset
from practice.grader.commands.assignment import assignment, take_assignment
from practice.grader.commands.batch import batch, take_batch
from practice.grader.commands.common import Command, UsageError, command_line, take_exercise
from practice.grader.commands.examining import doctor, take_doctor
from practice.grader.commands.exporting import export, take_export
from practice.grader.commands.grading import EXIT_STATUS, run, take_run, take_watch, watch
from practice.grader.commands.learning import hint, reveal, status
from practice.grader.commands.proving import lint, take_lint
from practice.grader.commands.serving import serve
from practice.grader.report import Verdict
from practice.grader.tell.messages import LANGUAGES, Language, choose_language, say
from practice.grader.tell.usage import Parser

USAGE_ERROR = 2
INTERRUPTED = 130
COMMANDS = (
    Command("list", list_exercises),
    Command("start", start, take_exercise, ("evict_sinks",)),
    Command("run", run, take_run, ("evict_sinks",)),
    Command("watch", watch, take_watch, ("evict_sinks",)),
    Command("hint", hint, take_exercise, ("evict_sinks",)),
    Command("reveal", reveal, take_exercise, ("evict_sinks",)),
    Command("reset", reset, take_reset, ("evict_sinks",)),
    Command("status", status),
    Command("doctor", doctor, take_doctor),
    Command("lint", lint, take_lint, ("evict_sinks",)),
    Command("batch", batch, take_batch, ("submissions", "--out", "results")),
    Command("export", export, take_export, ("gradescope", "evict_sinks", "-o", "autograder.zip")),
    Command("assignment", assignment, take_assignment, ("build",)),
)


def main(arguments: list[str]) -> int:
    """Carry out one command and return its exit status."""
    _fill_standard_descriptors()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    lang = _language(arguments)
    try:
        if arguments == ["serve"]:  # for a notebook's `%%judge`, in no help
            return serve()
        options = _parse(_parser(lang), arguments)
        command: Command = options.command
        return command.carry_out(options, lang)
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


def _parse(parser: argparse.ArgumentParser, arguments: list[str]) -> argparse.Namespace:
    """The arguments, in any order: argparse by itself takes no FILE or ID... after an option
    that follows what comes first."""
    options, rest = parser.parse_known_args(arguments)
    for name in ("file", "course"):
        if getattr(options, name, ...) is None and len(rest) == 1 and not rest[0].startswith("-"):
            setattr(options, name, Path(rest.pop()))
    if getattr(options, "exercises", ...) == [] and not any(word.startswith("-") for word in rest):
        options.exercises, rest = rest, []
    if rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return options


def _fill_standard_descriptors() -> None:
    """With 0, 1 or 2 closed, a pipe would get that number, and a process that is handed it would take it for output."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(descriptor)


def _parser(lang: Language) -> argparse.ArgumentParser:
    def epilog(*examples: str) -> str:
        return "\n  ".join([say(lang, "example"), *examples]) + f"\n\n{say(lang, 'exit_status')}"

    examples = {command.name: command_line(command.name, *command.example) for command in COMMANDS}
    parser = Parser(lang, "judge.py", say(lang, "help"), epilog(*examples.values()))
    subparser = cast(type[Parser], functools.partial(Parser, lang))
    group = parser.add_subparsers(required=True, metavar="COMMAND", parser_class=subparser)
    for command in COMMANDS:
        told = say(lang, f"help_{command.name}")
        added = group.add_parser(command.name, help=told, description=told, epilog=epilog(examples[command.name]))
        added.set_defaults(command=command)
        command.declare(added, lang)
    for each in (parser, *group.choices.values()):
        each.add_argument("--lang", choices=LANGUAGES, help=say(lang, "help_lang"))
    return parser


def _language(arguments: list[str]) -> Language:
    """The language asked for; known before the parser is built, because its help is in that language too."""
    early = argparse.ArgumentParser(add_help=False, exit_on_error=False, allow_abbrev=False)
    early.add_argument("--lang", choices=LANGUAGES)
    try:
        return early.parse_known_args(arguments)[0].lang or choose_language()
    except argparse.ArgumentError:
        return choose_language()
