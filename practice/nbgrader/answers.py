"""How autograding opens a submission: as the release version with the student's texts in it."""

import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.api import Gradebook

from practice.grader.assignments.files import read_plain_file
from practice.grader.assignments.submission import as_text, handed_in, written_answer
from practice.grader.catalogue import find_card
from practice.nbgrader.collect import FROM_EXCHANGE, tidy

Notebook = Any  # nbformat.NotebookNode
Names = Mapping[str, str]


class NotReleased(Exception):
    """There is no release version to put answers into."""


class AnswerExporter(NotebookExporter):
    """Takes the place of nbgrader's exporter while a submission is sanitized and graded.

    nbgrader itself mends a submission: it restores locked cells, ids, points, types and kernel one by one, and keeps
    what it does not know of.  This starts from the other end: from the notebook that was released, into which only
    texts are copied.  What a student did to anything else has no effect.
    """

    def __init__(self, **kw: Any) -> None:
        super().__init__(**kw)  # nbgrader makes it once a run, before it opens anything
        tidy(self.parent.coursedir, self.log)

    def from_filename(self, filename: str, resources: Any = None, **kw: Any) -> tuple[str, Any]:
        """The notebook that nbgrader's preprocessors get; `filename` may be anything that a student made."""
        names, path, directory = resources["nbgrader"], Path(filename), self.parent.coursedir
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        autograded = Path(directory.format_path(directory.autograded_directory, names["student"], names["assignment"]))
        if path.parent == autograded:  # the second pass: what the first one has written
            return super().from_notebook_node(nbformat.read(path, as_version=4), resources=resources, **kw)
        release = Path(directory.format_path(directory.release_directory, ".", names["assignment"]))
        _settle(autograded, release)
        notebook = _with_answers(release / path.name, read_plain_file(path) or b"", names)
        return super().from_notebook_node(notebook, resources=resources, **kw)


def _with_answers(release: Path, raw: bytes, names: Names) -> Notebook:
    """The released notebook, its student's cells filled, its points as in the gradebook."""
    if not release.is_file():
        raise NotReleased(f"{release} is missing: `nbgrader generate_assignment {names['assignment']}` makes it")
    notebook = nbformat.read(release, as_version=4)
    with Gradebook(names["db_url"]) as gradebook:
        for cell in notebook.cells:
            told = cell.metadata.get("nbgrader", {})
            if told.get("grade"):
                known = gradebook.find_graded_cell(told["grade_id"], names["notebook"], names["assignment"])
                told["points"] = known.max_score
            if told.get("solution"):
                _fill(cell, raw, release.name)
    return notebook


def _fill(cell: Any, raw: bytes, file: str) -> None:
    """Put the student's text where it belongs."""
    judged = cell.metadata.get("judge")
    if judged:
        card = find_card(judged["exercise"])
        cell.source = handed_in(raw, file, card.id, card.function).shown
        return
    answer = written_answer(raw, cell.metadata["nbgrader"]["grade_id"])
    if answer is not None and answer.strip() != cell.source.strip():  # else nbgrader sees that nothing was written
        cell.source = as_text(answer) if cell.cell_type == "markdown" else answer


def _settle(autograded: Path, release: Path) -> None:
    """Leave nothing in a student's folder but what nbgrader needs there.

    What a student added, formgrader would serve at its own address to whoever grades.  What `nbgrader submit` adds,
    `release_feedback` needs from everybody, or it releases nobody's.
    """
    autograded.mkdir(parents=True, exist_ok=True)
    kept = [autograded / name for name in FROM_EXCHANGE]
    kept += [autograded / file.relative_to(release) for file in release.rglob("*")]
    for path in autograded.rglob("*"):
        if path not in kept and (path.is_symlink() or not path.is_dir()) and path.suffix != ".ipynb":
            path.unlink()
    for path, told in zip(kept, ("", secrets.token_hex(64)), strict=False):
        if not path.exists():
            path.write_text(told)
