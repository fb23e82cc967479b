"""Autograding without a kernel: the judge grades each answer in its sandbox, and its verdict becomes the output."""

import contextlib
import functools
import os
import re
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat.v4 import new_output
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution
from traitlets import Bool

from practice.grader.assignments.feedback import as_html, feedback, no_feedback
from practice.grader.assignments.files import read_plain_file
from practice.grader.assignments.submission import handed_in
from practice.grader.catalogue import find_card
from practice.grader.isolate.doctor import OPEN, examine
from practice.grader.marks import mark
from practice.grader.tell.messages import choose_language, say, sentence
from practice.grader.verify.verifier import get_ready, grade

SEED_FILE = ".judge-seed"
SEED_BITS = 63
SEED = re.compile(rb"\s*[0-9]{1,19}\s*")
Notebook = Any  # nbformat.NotebookNode


class NotGraded(Exception):
    """The judge could not grade, or must not: the fault is not the answer's, so there is no mark."""


@dataclass(frozen=True)
class Submission:
    """A submitted notebook: its name, its bytes, and the seed that the class's cases are drawn from."""

    file: str
    raw: bytes
    seed: int


class JudgeCells(NbGraderPreprocessor):
    """Takes the place of nbgrader's Execute.  No output of a submission is kept, and no code of it runs here."""

    require_isolation = Bool(
        True, help="Refuse to grade where an answer could read files or write them, connect or start something."
    ).tag(config=True)

    def preprocess(self, nb: Notebook, resources: Any) -> tuple[Notebook, Any]:
        """Write score and feedback into the test cells.  Raises NotGraded."""
        names, directory = resources["nbgrader"], self.parent.parent.coursedir
        submitted = Path(directory.format_path(directory.submitted_directory, names["student"], names["assignment"]))
        file = f"{names['notebook']}.ipynb"
        submission = Submission(file, read_plain_file(submitted / file) or b"", _seed(Path(directory.root)))
        for cell in nb.cells:
            if cell.cell_type == "code":
                is_test = is_grade(cell) and not is_solution(cell)
                cell.outputs = self.outputs(cell, submission) if is_test else []
        return nb, resources

    def outputs(self, cell: Any, submission: Submission) -> list[Any]:
        """What a test cell shows: the feedback, and the score as the result that nbgrader reads.  Raises NotGraded."""
        if "judge" not in cell.metadata:
            name = cell.metadata.nbgrader["grade_id"]
            raise NotGraded(f"cell {name} is no exercise of the course; tests that run in a kernel are not run here")
        score, lines = self._grade(cell, submission)
        shown = {"text/html": as_html(lines), "text/plain": "\n".join(lines)}
        result = new_output("execute_result", {"text/plain": f"{score:g}"}, execution_count=None)
        return [new_output("display_data", shown), result]

    def _grade(self, cell: Any, submission: Submission) -> tuple[float, list[str]]:
        """Points, and what the student is told."""
        lang, points = cell.metadata["judge"]["lang"], cell.metadata["nbgrader"]["points"]
        card = find_card(cell.metadata["judge"]["exercise"])
        handed = handed_in(submission.raw, submission.file, card.id, card.function)
        if handed.finding:
            return 0.0, no_feedback(handed.finding, points, lang)
        layers = _layers() if self.require_isolation else []
        get_ready()
        report = grade(card, handed.code, handed.name, submission.seed)
        found = mark(report, points)
        if report.fault or not found:
            raise NotGraded(sentence(lang, report.fault) if report.fault else "no test was run")
        lacking = [layer for layer in layers if layer not in report.isolation]
        if lacking:
            raise NotGraded(f"what held other answers did not hold this one: no {', no '.join(lacking)}")
        return found.points, feedback(report, found, lang)


@functools.cache
def _layers() -> list[str]:
    """What holds an answer on this system.  Raises NotGraded where something gets through it."""
    layers, outcomes = examine()
    through = [attempt for attempt, outcome in outcomes.items() if outcome == OPEN]
    if through:
        raise NotGraded(f"nothing here keeps an answer from this: {', '.join(through)} (see `judge.py doctor`)")
    return layers


def _seed(course: Path) -> int:
    """The number that a class's cases are drawn from: secret, and the same for everybody, at every grading.

    Raises NotGraded where its file holds none.
    """
    path = course / SEED_FILE
    if not path.exists():
        with tempfile.NamedTemporaryFile(dir=course, prefix=SEED_FILE) as drawn, contextlib.suppress(FileExistsError):
            drawn.write(str(secrets.randbits(SEED_BITS)).encode())
            drawn.flush()
            os.link(drawn.name, path)  # whole, or not at all, whoever else draws one now
    raw = path.read_bytes()
    seed = int(raw) if SEED.fullmatch(raw) else -1
    if not 0 <= seed < 1 << SEED_BITS:
        raise NotGraded(say(choose_language(), "assignment_seed", file=path, size=len(raw)))
    return seed
