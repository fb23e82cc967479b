"""Who handed in what: one answer for every student and exercise, or the reason why there is none to grade."""

import hashlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from practice.grader.batch.files import NOT_HANDED_IN, READ_LIMIT, Budget, Entry, Unusable, entries_of, told_name
from practice.grader.batch.notebooks import marked_cells, plain_source, source_too_large
from practice.grader.catalogue import Card
from practice.grader.isolate.wire import SOURCE_LIMIT
from practice.grader.report import Finding, Verdict
from practice.grader.rows import MISSING, UNUSABLE
from practice.grader.verify.source import Unfit, read_source

NOBODYS = (*NOT_HANDED_IN, ".git", ".ipynb_checkpoints", "Thumbs.db", "desktop.ini")
LISTS = (".csv", ".xlsx")
"""Of files that lie beside the students' folders: rosters and marks, nobody's work."""

ARCHIVES = (".zip", ".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz")
"""Whoever hands in another one than a zip has a row, too, which says that it cannot be read."""

MOST_NOTED = 5
LONGEST_NOTED = 60


@dataclass(frozen=True)
class Answer:
    """What a student handed in for an exercise: a `source` to grade, called `file`; or `reason` why it is not graded,
    and then `outcome` says as what it counts."""

    student: str
    exercise: str
    file: str = ""
    source: bytes = b""
    outcome: str = ""
    reason: Finding | None = None

    @property
    def digest(self) -> str:
        """What tells this source, under this name, from another one."""
        return hashlib.sha256(self.file.encode(errors="replace") + b"\0" + self.source).hexdigest()


@dataclass
class Handed:
    """All that one student handed in: for each exercise whatever claims to answer it, and whether that `differs`, of
    which only the first source is kept; other files by name; or the `problem` that keeps all of it from being read."""

    student: str
    claims: dict[str, list[Answer]] = field(default_factory=dict)
    differs: set[str] = field(default_factory=set)
    noted: list[str] = field(default_factory=list)
    problem: Finding | None = None

    def answers(self, exercises: Sequence[str], functions: Mapping[str, str]) -> list[Answer]:
        """One answer for each of `exercises`; `functions` are their functions."""
        return [self._answer(exercise, functions[exercise]) for exercise in exercises]

    def _answer(self, exercise: str, function: str) -> Answer:
        claims = self.claims.get(exercise, [])
        if self.problem:
            return self._none(exercise, UNUSABLE, self.problem)
        if not claims:
            return self._none(exercise, MISSING, self._what_is_there(exercise))
        files = sorted({claim.file.rpartition("[cell ")[0] or claim.file for claim in claims})
        if len(files) < len(claims):
            cells = some([claim.file.rpartition("[cell ")[2].rstrip("]") for claim in claims])
            fields = {"file": some(files), "cells": cells, "function": function}
            return self._none(exercise, Verdict.ERROR, Finding(Verdict.ERROR, "cells", fields))
        if exercise in self.differs:
            return self._none(exercise, UNUSABLE, _finding("class_twice", files=some(files)))
        return claims[0]

    def _none(self, exercise: str, outcome: str, reason: Finding) -> Answer:
        return Answer(self.student, exercise, outcome=outcome, reason=reason)

    def _what_is_there(self, exercise: str) -> Finding:
        if not self.noted:
            return _finding("class_missing", exercise=exercise)
        return _finding("class_missing_seen", exercise=exercise, files=some(self.noted))


def some(names: Sequence[str]) -> str:
    """The first of many names, none of them long: whoever hands in chooses both."""
    more = [f"(+{len(names) - MOST_NOTED})"] if len(names) > MOST_NOTED else []
    return ", ".join([*(name[:LONGEST_NOTED] for name in names[:MOST_NOTED]), *more])


def find_students(top: Path, results: Path) -> dict[str, list[Path]]:
    """The folders and archives of a class by student, in the order of their names; `results` is none of them.

    Two entries make one student where their names say so ("ann" and "ann.zip").  Raises OSError.
    """
    found: dict[str, list[Path]] = {}
    own = os.path.realpath(results)
    for path in sorted(top.iterdir()):
        if _is_a_student_s(path) and path.name not in NOBODYS and os.path.realpath(path) != own:
            found.setdefault(told_name(_without_archive(path)), []).append(path)
    return dict(sorted(found.items()))


def find_loose_files(top: Path) -> list[str]:
    """The names of files that lie beside the students' folders and may be somebody's work: nothing says whose.

    Hidden files, read-mes and lists are none.  Raises OSError.
    """
    loose = [told_name(path.name) for path in sorted(top.iterdir()) if not _is_a_student_s(path)]
    return [name for name in loose if name not in NOBODYS and not _is_an_instructor_s(name)]


def _is_a_student_s(path: Path) -> bool:
    """Whether it is a folder, or a link that may have been one, or an archive: then its name is a student's."""
    is_folder = os.path.isdir(path) or (path.is_symlink() and not os.path.exists(path))
    return is_folder or _without_archive(path) != path.name


def _is_an_instructor_s(file: str) -> bool:
    return file.startswith(".") or file.lower().startswith("readme") or file.lower().endswith(LISTS)


def _without_archive(path: Path) -> str:
    """The name of a file without what says that it is an archive, such as ".tar.gz"."""
    while path.suffix.lower() in ARCHIVES:
        path = path.with_suffix("")
    return path.name


def read_student(student: str, paths: Sequence[Path], cards: Mapping[str, Card]) -> Handed:
    """Everything that one student handed in."""
    handed, budget = Handed(student), Budget()
    try:
        if len(paths) > 1:
            raise Unusable("class_twice", files=some([told_name(path.name) for path in paths]))
        for entry in entries_of(paths[0], budget):
            _take(entry, handed, cards)
            if budget.left < 0:
                raise Unusable("class_too_large", file=student, limit=f"{READ_LIMIT:,}")
    except Unusable as unusable:
        handed.problem = _finding(unusable.key, **unusable.fields)
    except Exception as error:  # whatever a library makes of it, the others are graded
        handed.problem = _finding("class_unreadable", file=student, reason=f"{type(error).__name__}: {error}"[:200])
    return handed


def _take(entry: Entry, handed: Handed, cards: Mapping[str, Card]) -> None:
    """Add one file to what a student handed in."""
    stem, _, suffix = entry.name.rpartition(".")
    if suffix == "py" and stem in cards:
        _take_source(entry, stem, handed)
    elif suffix == "ipynb":
        _take_notebook(entry, stem, handed, cards)
    else:
        handed.noted.append(entry.path)


def _take_source(entry: Entry, exercise: str, handed: Handed) -> None:
    try:
        source = entry.read()
    except Unusable as unusable:
        _claim(handed, exercise, entry.path, outcome=UNUSABLE, reason=_finding(unusable.key, **unusable.fields))
        return
    if len(source) > SOURCE_LIMIT:
        _claim(handed, exercise, entry.path, reason=source_too_large(entry.path, len(source)))
    else:
        _claim(handed, exercise, entry.path, source)


def _take_notebook(entry: Entry, stem: str, handed: Handed, cards: Mapping[str, Card]) -> None:
    """Take a notebook's marked cells; one that is named after an exercise answers it without a mark, too."""
    raw, marked = b"", set()
    try:
        raw = entry.read()
        for cell in marked_cells(raw, cards):
            marked.add(cell.exercise)
            source, name, finding = plain_source(cell, entry.path)
            _claim(handed, cell.exercise, name, source, reason=finding)
    except Unusable as unusable:
        if stem in cards:
            _claim(handed, stem, entry.path, outcome=UNUSABLE, reason=_finding(unusable.key, **unusable.fields))
            return
    except Unfit:
        pass  # told below, where the notebook is named after an exercise
    if stem in cards and stem not in marked:
        taken = read_source(raw, entry.path, cards[stem])
        _claim(handed, stem, taken.name, taken.code, reason=taken.finding)
    elif not marked:
        handed.noted.append(entry.path)


def _claim(
    handed: Handed, exercise: str, file: str, source: bytes = b"", outcome: str = "", reason: Finding | None = None
) -> None:
    claims = handed.claims.setdefault(exercise, [])
    if claims and (claims[0].source, claims[0].reason) != (source, reason):
        handed.differs.add(exercise)
    kept = b"" if claims else source
    claims.append(Answer(handed.student, exercise, file, kept, outcome or (reason.verdict if reason else ""), reason))


def _finding(key: str, **fields: str | int) -> Finding:
    return Finding(Verdict.NOT_RUN, key, fields)


def count_handed_in(everyone: Sequence[Handed], known: Iterable[str]) -> dict[str, int]:
    """How many students handed something in for each of the exercises `known`, in their order."""
    return {exercise: sum(exercise in handed.claims for handed in everyone) for exercise in known}
