"""What students do to a released notebook, or lay beside it, apart from answering."""

import copy
from pathlib import Path
from typing import Any

ASSIGNMENT = "03_streaming"
Notebook = dict[str, Any]


def code_cells(notebook: Notebook) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def tests(notebook: Notebook) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["metadata"]["nbgrader"]["grade_id"].endswith("-test")]


def result(text: str) -> dict[str, Any]:
    return {"output_type": "execute_result", "execution_count": 1, "metadata": {}, "data": {"text/plain": text}}


def with_outputs(notebook: Notebook) -> None:
    for cell in code_cells(notebook):
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "a line\n" * 50_000}]
    own = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": "1 / 0"}
    notebook["cells"].insert(0, own)


def forge(notebook: Notebook) -> None:
    html = {"text/html": "<img src=x onerror=document.title=1>", "text/plain": "10"}
    for cell in code_cells(notebook):
        cell["outputs"] = [{**result("10"), "data": html}]
    for cell in tests(notebook):
        cell["metadata"]["nbgrader"]["points"] = 1000
        cell["source"] = "1000"


def delete_tests(notebook: Notebook) -> None:
    notebook["cells"] = [cell for cell in notebook["cells"] if cell not in tests(notebook)]


def change_tests(notebook: Notebook) -> None:
    for number, cell in enumerate(tests(notebook)):
        notebook["cells"].append(copy.deepcopy(cell))
        told = cell["metadata"]["nbgrader"]
        told |= [
            {"points": -5, "schema_version": 99},
            {"points": 0, "grade": False, "locked": False},
            {"grade_id": "", "checksum": "0" * 32},
            {"solution": True, "task": True, "cell_type": "markdown", "unknown": [1]},
        ][number]
    first = tests(notebook)[0]
    first["cell_type"] = "markdown"
    del first["outputs"], first["execution_count"]
    evil = {"name": "evil", "display_name": "evil", "language": "evil", "argv": ["touch", "left_behind"]}
    notebook["metadata"] = {"kernelspec": evil, "language_info": {"name": "evil"}, "celltoolbar": "x"}


def rename(notebook: Notebook) -> None:
    for cell in code_cells(notebook):
        if cell["metadata"]["nbgrader"]["grade_id"] == "evict_sinks":
            cell["metadata"]["nbgrader"]["grade_id"] = "evict_sinks2"


def double_answer(notebook: Notebook) -> None:
    (cell,) = [cell for cell in code_cells(notebook) if cell["metadata"]["nbgrader"]["grade_id"] == "evict_sinks"]
    notebook["cells"].append({**cell, "id": "double"})


def no_notebook(folder: Path, course: Path) -> None:
    (folder / f"{ASSIGNMENT}.ipynb").rename(folder / f"{ASSIGNMENT}.txt")


def other_files(folder: Path, course: Path) -> None:
    (folder / "gradebook.html").symlink_to(course / "gradebook.db")
    (folder / "zero.txt").symlink_to("/dev/zero")
    (folder / "page.html").write_text("<script>document.title = 1</script>")
    (folder / "other.ipynb").write_text("{}")
    (folder / "data").mkdir()
    (folder / "data/notes.txt").write_text("mine")
    (folder / "timestamp.txt").write_text("no time at all")
    (folder / "submission_secret.txt").write_text("../../x")
