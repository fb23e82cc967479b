"""What nbgrader makes of a source notebook: refused before students see it, where it could not be graded later."""

from typing import Any

from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import is_grade, is_solution, is_task

Notebook = Any  # nbformat.NotebookNode


class NotGradable(Exception):
    """A source notebook asks for what is not done here; the message says where and what to write instead."""


class CheckSource(NbGraderPreprocessor):
    """The first step of `generate_assignment`."""

    def preprocess(self, nb: Notebook, resources: Any) -> tuple[Notebook, Any]:
        """The notebook without the attachments of its answers, which nbgrader would release.  Raises NotGradable."""
        answers = {cell.metadata.nbgrader["grade_id"] for cell in nb.cells if is_solution(cell)}
        for cell in nb.cells:
            _check(cell, answers)
            if is_solution(cell):
                cell.pop("attachments", None)
        return nb, resources


def _check(cell: Notebook, answers: set[str]) -> None:
    if is_task(cell):
        name = cell.metadata.nbgrader["grade_id"]
        raise NotGradable(
            f"cell {name} is a task: only texts of the cells that students were given are looked at, and a task gives "
            "them none; make it a manually graded answer"
        )
    if not is_grade(cell) or is_solution(cell):
        return
    name, judged = cell.metadata.nbgrader["grade_id"], cell.metadata.get("judge")
    if not judged:
        raise NotGradable(f"cell {name} is no exercise of the course; tests that run in a kernel are not run here")
    if judged["exercise"] not in answers:
        raise NotGradable(f"cell {name} grades {judged['exercise']}, and no answer cell has that name")
