"""Source notebooks for nbgrader, one a chapter, made from the exercises.

Of an exercise they hold the statement, the starter and one public check.  Reference, mutants and cases stay with the
judge: there is nothing in a source notebook that must not reach students, save the rubric of the written question.
"""

import itertools
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import nbformat

from practice.grader.assignments.public_check import public_check
from practice.grader.catalogue import Card, all_cards
from practice.grader.report import Text
from practice.grader.tell.messages import Language, say

ROOT = Path(__file__).resolve().parents[3]
CHAPTERS = ROOT / "notebooks" / "source"
QUESTIONS = ROOT / "practice" / "nbgrader" / "questions.toml"
REPLACED = "replaced"
SCHEMA_VERSION = 3
POINTS = 10
"""Points of an exercise, whatever its difficulty: who sets an assignment changes them in its source notebook."""
UNWRITTEN = re.compile(r"^( *)raise NotImplementedError$", re.MULTILINE)
KERNEL = {"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}}

Cell = Any  # nbformat.NotebookNode, which mypy knows nothing of


@dataclass(frozen=True)
class Question:
    """A chapter's question for a written answer, and what a good one says; graded by hand."""

    text: Text
    rubric: Text
    points: int


def read_questions() -> dict[str, Question]:
    """The written questions by chapter ("03")."""
    told = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))
    return {chapter: Question(**fields) for chapter, fields in told.items()}


def build(course: Path, lang: Language) -> tuple[list[Path], list[Path]]:
    """Write `course/source/<chapter>/<chapter>.ipynb` for every chapter with exercises.

    What was there before, where it was another, goes into `course/replaced`: somebody may have worked on it.  Returns
    the files written, and those put aside.  Raises OSError, and LookupError where a chapter has no question.
    """
    questions, chapters = read_questions(), _by_chapter(all_cards())
    if missing := sorted(chapters.keys() - questions.keys()):
        raise LookupError(f"{QUESTIONS.name} has no question for {', '.join(missing)}")
    written: list[Path] = []
    aside: list[Path] = []
    for chapter, cards in chapters.items():
        name = chapter_name(chapter)
        path = course / "source" / name / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        content = nbformat.writes(make_notebook(chapter, cards, questions[chapter], lang)).encode()
        if path.exists() and path.read_bytes() != content:
            aside.append(_put_aside(path, course / REPLACED))
        path.write_bytes(content)
        written.append(path)
    return written, aside


def _put_aside(path: Path, folder: Path) -> Path:
    """Move a file into a folder, under a name that is free there: no earlier one is lost."""
    folder.mkdir(exist_ok=True)
    names = (f"{path.stem}-{number}{path.suffix}" for number in itertools.count(1))
    free = next(folder / name for name in names if not (folder / name).exists())
    return path.rename(free)


def chapter_name(chapter: str) -> str:
    """The name of a chapter's assignment, which is that of its source: "03_streaming"."""
    (source,) = CHAPTERS.glob(f"{chapter}_*.md")
    return source.stem


def make_notebook(chapter: str, cards: Sequence[Card], question: Question, lang: Language) -> Cell:
    """The source notebook of one chapter's assignment."""
    cells = [_prose(say(lang, "assignment_intro", name=chapter_name(chapter)), "intro")]
    for card in cards:
        cells += _exercise(card, lang)
    cells += _written(question, lang)
    return nbformat.v4.new_notebook(cells=cells, metadata={**KERNEL, "language_info": {"name": "python"}})


def solution_cell(card: Card) -> str:
    """The starter, with what nbgrader replaces marked: its stub is the same line again."""
    starter = (card.folder / "starter.py").read_text(encoding="utf-8").strip()
    return UNWRITTEN.sub(r"\1### BEGIN SOLUTION\n\1raise NotImplementedError\n\1### END SOLUTION", starter)


def _by_chapter(cards: Sequence[Card]) -> Mapping[str, list[Card]]:
    chapters: dict[str, list[Card]] = {}
    for card in cards:
        chapters.setdefault(card.chapter, []).append(card)
    return chapters


def _exercise(card: Card, lang: Language) -> list[Cell]:
    statement = (card.folder / f"statement.{lang}.md").read_text(encoding="utf-8").strip()
    unjudged = say(lang, "assignment_unjudged")
    check = [
        public_check(card, lang),
        f"# {say(lang, 'assignment_hidden', points=POINTS)}",
        "### BEGIN HIDDEN TESTS",
        f"raise RuntimeError({unjudged!r})",
        "### END HIDDEN TESTS",
    ]
    judged = {"exercise": card.id, "lang": lang}
    return [
        _prose(statement, f"{card.id}-statement"),
        _code(solution_cell(card), card.id, judged, solution=True),
        _code("\n".join(check), f"{card.id}-test", judged, grade=True, points=POINTS, locked=True),
    ]


def _written(question: Question, lang: Language) -> list[Cell]:
    head = f"## {say(lang, 'assignment_question', points=question.points)}\n\n{question.text[lang].strip()}"
    answer = nbformat.v4.new_markdown_cell(question.rubric[lang].strip(), id="question-answer")
    answer.metadata["nbgrader"] = _told("question-answer", grade=True, solution=True, points=question.points)
    return [_prose(head, "question"), answer]


def _prose(text: str, name: str) -> Cell:
    """Text that nbgrader locks."""
    cell = nbformat.v4.new_markdown_cell(text, id=name)
    cell.metadata["nbgrader"] = _told(name, locked=True)
    return cell


def _code(source: str, name: str, judged: Mapping[str, str], **told: Any) -> Cell:
    cell = nbformat.v4.new_code_cell(source, id=name)
    cell.metadata["judge"] = dict(judged)
    cell.metadata["nbgrader"] = _told(name, **told)
    return cell


def _told(grade_id: str, **told: Any) -> dict[str, Any]:
    """What nbgrader is told about a cell."""
    plain = {"grade": False, "solution": False, "locked": False, "task": False}
    return {"grade_id": grade_id, "schema_version": SCHEMA_VERSION, **plain, **told}
