"""The command batch: grades a whole class, and goes on where it was ended."""

import argparse
import contextlib
import importlib.util
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from practice.grader.catalogue import Card, all_cards
from practice.grader.commands.common import UsageError, find, show, shown, unreadable
from practice.grader.report import Finding, Verdict
from practice.grader.rows import Row
from practice.grader.tell.class_table import render_items
from practice.grader.tell.messages import Language, say, sentence

if TYPE_CHECKING:  # what grades is imported late, with torch: wrong usage is told at once, and before the set-up, too
    from practice.grader.batch.grading import Request
    from practice.grader.batch.journal import Journal
    from practice.grader.batch.submissions import Answer
    from practice.grader.batch.whole import Grader

LARGEST_SEED = (1 << 63) - 1
MOST_JOBS = 512
UNGRADED = 3
LOCK = "seccomp"


def take_batch(parser: argparse.ArgumentParser, lang: Language) -> None:
    """Declare the arguments of `batch`."""
    parser.add_argument("folder", metavar="DIR", type=Path, help=say(lang, "help_class"))
    parser.add_argument("exercises", metavar="ID", nargs="*", help=say(lang, "help_class_exercises"))
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help=say(lang, "help_out"))
    parser.add_argument(
        "--jobs", metavar="N", type=_number(1, MOST_JOBS), default=_cores(), help=say(lang, "help_jobs")
    )
    parser.add_argument("--scheduler", metavar="ADDRESS", help=say(lang, "help_scheduler"))
    parser.add_argument("--require-isolation", action="store_true", help=say(lang, "help_require_isolation"))
    parser.add_argument("--seed", metavar="N", type=_number(0, LARGEST_SEED), help=say(lang, "help_class_seed"))
    parser.epilog = f"{say(lang, 'batch_about')}\n\n{parser.epilog}"


def batch(options: argparse.Namespace, lang: Language) -> int:
    """Grade a class: 0 where every student has a row, 3 where there is no judge to grade with."""
    chosen = [find(exercise, lang) for exercise in dict.fromkeys(options.exercises)]
    _check_folders(options.folder, options.out, lang)
    from practice.grader.batch.journal import Journal
    from practice.grader.batch.judging import JudgeLost, NotIsolated
    from practice.grader.commands.results import write_results

    if options.scheduler and importlib.util.find_spec("distributed") is None:
        raise UsageError(say(lang, "batch_no_dask"))
    grader = _grader(options, lang)
    try:
        with _locked(Journal(options.out), options.out, lang) as journal:
            answers, cards = _read_class(options.folder, options.out, chosen, lang)
            rows = _grade(answers, cards, journal, options, grader)
            items = write_results(options.out, rows, cards, lang)
    except NotIsolated as lacking:
        raise UsageError(say(lang, "batch_not_isolated", attempts=_attempts(lacking.attempts, lang))) from lacking
    except (JudgeLost, OSError) as lost:  # a disk that is full, a file of results that another program holds
        _warn(say(lang, "batch_no_judge", reason=lost))
        return UNGRADED
    show(render_items(items, lang))
    show(
        say(lang, "batch_done", rows=len(rows), students=len({row.student for row in rows}), folder=shown(options.out))
    )
    unlocked = sum(bool(row.results) and LOCK not in row.isolation for row in rows)
    counts = {"batch_unlocked": unlocked, "batch_ungraded": sum(row.outcome == Verdict.UNGRADED for row in rows)}
    for key, count in counts.items():
        if count:
            _warn(say(lang, key, count=count))
    return 0


def _warn(told: str) -> None:
    print(f"judge: {told}", file=sys.stderr)


def _check_folders(folder: Path, out: Path, lang: Language) -> None:
    try:
        os.scandir(folder).close()
    except OSError as error:
        raise unreadable(folder, error, lang) from error
    top, results = folder.resolve(), out.resolve()
    is_student_s = top in results.parents and (results.parent != top or (results.exists() and not _is_ours(results)))
    if top == results or is_student_s:
        raise UsageError(say(lang, "batch_same_folder", folder=shown(out)))


def _is_ours(results: Path) -> bool:
    """Whether a batch has been here."""
    from practice.grader.batch.journal import NAME

    return (results / NAME).exists()


def _read_class(
    folder: Path, out: Path, chosen: Sequence[Card], lang: Language
) -> "tuple[list[Answer], dict[str, Card]]":
    """One answer for each student and exercise: those chosen, else all that anybody handed in.

    Tells what is graded, and what is not.
    """
    from practice.grader.batch.submissions import count_handed_in, find_loose_files, find_students, read_student, some

    known = {card.id: card for card in all_cards()}
    loose = find_loose_files(folder)
    if loose:
        _warn(sentence(lang, Finding(Verdict.NOT_RUN, "batch_loose", {"files": some(loose)})))
    students = find_students(folder, out)
    everyone = [read_student(name, paths, known) for name, paths in students.items()]
    counts = count_handed_in(everyone, known)
    ids = [card.id for card in chosen] or [exercise for exercise, count in counts.items() if count]
    if not students or not ids:
        raise UsageError(say(lang, "batch_nothing" if students else "batch_nobody", folder=folder))
    unreadable = sum(handed.problem is not None for handed in everyone)
    if unreadable:
        _warn(say(lang, "batch_unreadable", count=unreadable, students=len(students)))
    _tell_exercises({exercise: counts[exercise] for exercise in ids}, len(students) - unreadable, bool(chosen), lang)
    functions = {exercise: known[exercise].function for exercise in ids}
    answers = [answer for handed in everyone for answer in handed.answers(ids, functions)]
    return answers, {exercise: known[exercise] for exercise in ids}


def _tell_exercises(counts: Mapping[str, int], students: int, named: bool, lang: Language) -> None:
    """Tell how many of the `students` whose work can be read handed in each exercise, and where the exercises were not
    `named`, warn of those that may never have been set."""
    show(say(lang, "batch_exercises", students=students, exercises=_counted(counts)))
    few = {exercise: count for exercise, count in counts.items() if 2 * count < students}
    if few and not named:
        _warn(say(lang, "batch_few", students=students, exercises=_counted(few)))


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{exercise} {count}" for exercise, count in counts.items())


def _grade(
    answers: "Sequence[Answer]",
    cards: Mapping[str, Card],
    journal: "Journal",
    options: argparse.Namespace,
    grader: "Grader",
) -> list[Row]:
    """All rows, with a bar on a terminal."""
    from tqdm import tqdm

    from practice.grader.batch.whole import grade_answers

    with tqdm(total=len(answers), desc="batch", unit=" rows", disable=None, dynamic_ncols=True) as bar:

        def seen(done: int, total: int) -> None:
            if not bar.n:
                bar.initial = done  # what was there before says nothing about the pace
            bar.update(done - bar.n)

        return grade_answers(answers, cards, journal, options.seed, grader, seen, isolated=options.require_isolation)


def _grader(options: argparse.Namespace, lang: Language) -> "Grader":
    """Who grades: judges on this machine, or a cluster's."""

    from tqdm import tqdm

    def refused(address: str, why: Finding) -> None:
        fields = {**why.fields, "attempts": _attempts(str(why.fields.get("attempts", "")).split(), lang)}
        told = sentence(lang, replace(why, fields=fields))
        tqdm.write(f"judge: {say(lang, 'worker_refused', address=address, why=told)}", file=sys.stderr)

    def grade(requests: "Sequence[Request]", digests: Mapping[str, str]) -> "Iterator[tuple[Request, Row]]":
        if options.scheduler:
            from practice.grader.batch.cluster import grade_there

            return grade_there(options.scheduler, requests, digests, options.require_isolation, refused)
        from practice.grader.batch.runner import grade_here

        return grade_here(requests, options.jobs, options.require_isolation)

    return grade


@contextlib.contextmanager
def _locked(journal: "Journal", folder: Path, lang: Language) -> "Iterator[Journal]":
    """The journal, open; UsageError where it is another batch's, or cannot be written."""
    from practice.grader.batch.journal import InUse

    with contextlib.ExitStack() as opened:
        try:
            opened.enter_context(journal)
        except InUse as error:
            raise UsageError(say(lang, "batch_in_use", folder=folder)) from error
        except OSError as error:
            raise unreadable(folder, error, lang) from error
        yield journal


def _attempts(names: Sequence[str], lang: Language) -> str:
    """What an answer could do, in words."""
    return ", ".join(say(lang, f"attempt_{name}") for name in names)


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1


def _number(low: int, high: int) -> Callable[[str], int]:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from {low} to {high}")
        return int(text)

    return number
