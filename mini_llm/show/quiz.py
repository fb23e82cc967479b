"""The quiz of a chapter: questions from ``notebooks/quiz/NN.toml``, graded in place, without a kernel.

A file holds ``[[question]]`` tables: ``id``, ``kind``, the ``section`` of the chapter that answers it, and the text in
``en`` and ``zh``. The kinds:

- ``choice``: ``[[question.option]]`` with ``en``, ``zh``, ``why_en``, ``why_zh``; one of them has ``right = true``.
- ``number``: ``right``, relative ``tolerance``, ``unit_en``, ``unit_zh``, ``why_en``, ``why_zh`` for who got it,
  ``hint_en``, ``hint_zh`` for who did not; ``[[question.mistake]]`` with ``value``, ``why_en``, ``why_zh`` for who fell
  into a known trap.
- ``order``: ``[[question.item]]`` with ``place`` 1, 2, ... and, from 2 on, ``why_en``, ``why_zh``: why it comes after
  the one before; the question's own ``why_en``, ``why_zh`` sums up.

In texts, and in ``right`` and ``value``, ``{{key:.1f}}`` is a number of the ledger or of the published ones, as in a
chapter. `tools/quiz_lint.py` checks the files.
"""

from __future__ import annotations

import textwrap
import tomllib
from pathlib import Path
from typing import Any

import traitlets
from matplotlib.figure import Figure

from ..longctx.ledger import quotable, quoted
from .widget import CourseWidget

FOLDER = Path(__file__).resolve().parents[2] / "notebooks" / "quiz"

Question = dict[str, Any]


def chapters() -> list[str]:
    """The chapters that have a quiz, as ``"03"``."""
    return sorted(path.stem for path in FOLDER.glob("[0-9][0-9].toml"))


def load(chapter: str) -> list[Question]:
    """A chapter's questions. Raises ValueError naming a chapter without a quiz."""
    if chapter not in chapters():
        raise ValueError(f"no quiz for chapter {chapter!r}; there are {', '.join(chapters())}")
    return read(FOLDER / f"{chapter}.toml")


def read(path: Path) -> list[Question]:
    """A file's questions, their quotes replaced by the ledger's numbers; KeyError names an unknown key of it."""
    questions: list[Question] = tomllib.loads(path.read_text(encoding="utf-8"))["question"]
    return [_with_numbers(question) for question in quoted(questions, quotable())]


def _with_numbers(question: Question) -> Question:
    """``right`` and ``value`` as numbers where they were written as quotes."""
    for part in (question, *question.get("mistake", [])):
        for name in ("right", "value"):
            if isinstance(part.get(name), str):
                part[name] = float(part[name].replace(",", ""))
    return question


class Quiz(CourseWidget):
    """``Quiz("03")``: the questions of chapter 03. Wrong answers are told why and may be tried again; the browser keeps
    what was answered. Options stand in an order of their own in each round (the button at the end starts one).
    """

    before = ("quiz_words.js", "quiz_grade.js")
    script = "quiz.js"
    chapter = traitlets.Unicode().tag(sync=True)
    questions = traitlets.List().tag(sync=True)
    answers = traitlets.Dict().tag(sync=True)  # id -> the answers tried, oldest first
    current = traitlets.Int(0).tag(sync=True)
    round = traitlets.Int(0).tag(sync=True)

    def __init__(self, chapter: str) -> None:
        super().__init__(chapter=chapter, questions=load(chapter))

    def figure(self) -> Figure:
        """What GitHub and an untrusted notebook show: the first question, how many more there are, how to answer."""
        first, *others = self.questions
        lines = textwrap.wrap(first["en"].replace("`", ""), 104)
        lines += [f"   ○ {option['en'].replace('`', '')}" for option in first.get("option", [])]
        title = (
            f"Quiz, chapter {self.chapter}: {len(others) + 1} questions. Run this cell to answer, and to be told why."
        )
        figure = Figure(figsize=(8, 0.6 + 0.2 * len(lines)))
        high = figure.get_figheight()
        figure.text(0.02, 1 - 0.12 / high, title, va="top", weight="bold", fontsize=10)
        figure.text(0.02, 1 - 0.42 / high, "\n".join(lines), va="top", fontsize=9, linespacing=1.35)
        return figure
