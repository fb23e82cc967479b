"""Commands about answers as files: list, start, reset."""

import argparse
import contextlib
import itertools
import sys
from pathlib import Path

from practice.grader.catalogue import all_cards
from practice.grader.commands.common import (
    ANSWERS,
    UsageError,
    answer_path,
    command_line,
    find,
    no_answer,
    recall,
    show,
    shown,
    take_exercise,
    unreadable,
)
from practice.grader.tell.messages import Language, say
from practice.grader.tell.terminal import render_list


def list_exercises(_: argparse.Namespace, lang: Language) -> int:
    """Print the catalogue."""
    cards = all_cards()
    begun = {card.id for card in cards if answer_path(card.id).exists()}
    passed = {exercise for exercise, record in recall(lang).items() if record.passed_at}
    show(render_list(cards, begun, passed, shown(ANSWERS), lang))
    return 0


def start(options: argparse.Namespace, lang: Language) -> int:
    """Copy the starter to practice/answers; a file that is there already is never touched."""
    card = find(options.exercise, lang)
    path = answer_path(card.id)
    try:
        path.parent.mkdir(exist_ok=True)
        with path.open("xb") as answer:
            answer.write((card.folder / "starter.py").read_bytes())
    except FileExistsError as error:
        if not path.exists():
            raise unreadable(path, error, lang) from error
        show(say(lang, "kept", answer=shown(path)))
    except OSError as error:
        raise unreadable(path, error, lang) from error
    else:
        show(say(lang, "started", answer=shown(path)))
    statement = shown(card.folder / f"statement.{lang}.md")
    show(say(lang, "task", statement=statement, command=command_line("run", card.id)))
    return 0


def take_reset(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the arguments of `reset`."""
    take_exercise(parser, lang)
    parser.add_argument("--yes", action="store_true", help=say(lang, "help_yes"))


def reset(options: argparse.Namespace, lang: Language) -> int:
    """Put the starter back in the place of an answer, which is kept beside it; 1 where the learner would rather not."""
    card = find(options.exercise, lang)
    path = answer_path(card.id)
    if not path.exists():
        raise no_answer(card.id, lang)
    if not options.yes and not _agrees(path, lang):
        show(say(lang, "reset_left", answer=shown(path)))
        return 1
    new = path.with_name(f"{path.name}.new")
    try:
        backup = back_up(path)
        new.write_bytes((card.folder / "starter.py").read_bytes())
        new.replace(path)
    except OSError as error:
        raise unreadable(path, error, lang) from error
    show(say(lang, "reset_done", answer=shown(path), backup=shown(backup)))
    return 0


def back_up(path: Path) -> Path:
    """Copy a file to the first of `path`.bak-1, `path`.bak-2, ... that does not exist yet."""
    content = path.read_bytes()
    numbers = itertools.count(1)
    while True:
        backup = path.with_name(f"{path.name}.bak-{next(numbers)}")
        with contextlib.suppress(FileExistsError), backup.open("xb") as stream:
            stream.write(content)
            return backup


def _agrees(path: Path, lang: Language) -> bool:
    """Ask; no reply is a no."""
    if not sys.stdin or not sys.stdin.isatty():
        raise UsageError(say(lang, "reset_unasked"))
    print(say(lang, "reset_ask", answer=shown(path)), end=" ", flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes")
