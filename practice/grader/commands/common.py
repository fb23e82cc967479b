"""What the commands share: where answers lie, how things are called on a terminal, and the learner's progress."""

import argparse
import contextlib
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from practice.grader.catalogue import Card, UnknownExercise, find_card
from practice.grader.progress import ProgressFile, Record, progress_path
from practice.grader.report import Report, Verdict
from practice.grader.tell.messages import Language, choose_language, say

ANSWERS = Path(__file__).resolve().parents[2] / "answers"
DOOR = ANSWERS.with_name("judge.py")
FILE_LIMIT = 64 << 20


class UsageError(Exception):
    """The command cannot be carried out as given; the message says why."""


@dataclass(frozen=True)
class Command:
    """One command: what carries it out and returns the exit status, what declares its arguments to the parser, and the
    arguments of its example.  Its help is the sentence `help_<name>` of the message tables."""

    name: str
    carry_out: Callable[[argparse.Namespace, Language], int]
    declare: Callable[[argparse.ArgumentParser, Language], object] = lambda parser, lang: None
    example: tuple[str, ...] = ()


def take_exercise(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the argument ID."""
    parser.add_argument("exercise", metavar="ID", help=say(lang, "help_exercise"))


def find(exercise: str, lang: Language) -> Card:
    """The card of an exercise; UsageError where there is none."""
    try:
        return find_card(exercise)
    except UnknownExercise as unknown:
        raise UsageError(say(lang, "unknown", exercise=exercise, nearest=", ".join(unknown.nearest))) from unknown


def answer_path(exercise: str) -> Path:
    """Where the answer to an exercise lies."""
    return ANSWERS / f"{exercise}.py"


def read_answer(path: Path) -> bytes:
    """The bytes of an answer's file, as far as any answer goes: some files have no end.  Raises OSError."""
    with path.open("rb") as file:
        return file.read(FILE_LIMIT)


def unreadable(path: Path, error: OSError, lang: Language) -> UsageError:
    """The error to raise where a file of the learner's cannot be read or written."""
    return UsageError(say(lang, "no_file", file=path, reason=error.strerror or error))


def no_answer(exercise: str, lang: Language) -> UsageError:
    """The error to raise where an answer has not been begun."""
    begin = command_line("start", exercise)
    return UsageError(say(lang, "no_answer", answer=shown(answer_path(exercise)), command=begin))


def command_line(*words: str) -> str:
    """A judge command as one would type it here."""
    return shlex.join(["python", shown(DOOR), *words])


def asked_for(lang: Language) -> list[str]:
    """The option that keeps to a language, where the environment would choose another one."""
    return [] if lang == choose_language() else ["--lang", lang]


def shown(path: Path) -> str:
    """A path as one would type it here."""
    try:
        here = Path.cwd()
    except OSError:  # a folder that is gone
        return str(path)
    return str(path.relative_to(here) if path.is_relative_to(here) else path)


def show(page: str) -> None:
    """Print a page; whoever read the output may have left, the exit status still tells."""
    with contextlib.suppress(BrokenPipeError):
        print(page, flush=True)


def recall(lang: Language) -> dict[str, Record]:
    """What is remembered of each exercise; nothing, and a warning, where it cannot be read."""
    try:
        return _progress(lang).read()
    except ModuleNotFoundError:  # before the set-up nothing can have been kept
        return {}
    except Exception as error:  # whatever it is, the command goes on
        _warn(lang, error)
        return {}


def remember(exercise: str, change: Callable[[Record], Record], lang: Language) -> Record:
    """Change what is remembered of an exercise; where that cannot be kept, a warning, and the record as it would be."""
    try:
        return _progress(lang).update(exercise, change)
    except Exception as error:  # whatever it is, the command goes on
        _warn(lang, error)
        return change(Record())


def remember_grading(report: Report, lang: Language) -> None:
    """Remember how a grading went; one that the judge failed is none, nor is one where nothing was written yet."""
    if report.verdict is not Verdict.UNGRADED and not report.unwritten:
        remember(report.exercise, lambda record: record.graded(report.verdict is Verdict.PASS), lang)


def _progress(lang: Language) -> ProgressFile:
    return ProgressFile(
        progress_path(), lambda aside: print(f"judge: {say(lang, 'progress_broken', file=aside)}", file=sys.stderr)
    )


def _warn(lang: Language, error: Exception) -> None:
    print(f"judge: {say(lang, 'progress_lost', reason=error)}", file=sys.stderr)
