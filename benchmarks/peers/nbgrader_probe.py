"""nbgrader 0.9.6 on the same exercise, in its own environment: `python nbgrader_probe.py TESTS ANSWER STUDENTS LIMIT`.

Makes a course with one assignment, hands in the answer for each student, autogrades, prints seconds and marks.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_notebook


def cell(source: str, grade_id: str, solution: bool, points: int) -> nbformat.NotebookNode:
    told = {"schema_version": 3, "grade_id": grade_id, "locked": not solution, "solution": solution}
    return new_code_cell(
        source, metadata={"nbgrader": {**told, "grade": not solution, "points": points, "task": False}}
    )


def nbgrader(*words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "nbgrader", *words]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # it calls alembic by name
    environment = {**os.environ, "PATH": path}
    return subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, check=False)


tests = json.loads(Path(sys.argv[1]).read_text())
answer, students, limit = Path(sys.argv[2]).read_text(), int(sys.argv[3]), sys.argv[4]
with tempfile.TemporaryDirectory() as folder:
    course = Path(folder)
    notebook = new_notebook(
        cells=[
            cell("### BEGIN SOLUTION\npass\n### END SOLUTION", "answer", True, 0),
            *(cell(code, f"test{number}", False, 1) for number, code in enumerate(tests.values())),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )
    (course / "nbgrader_config.py").write_text("c = get_config()\nc.CourseDirectory.course_id = 'bench'\n")
    source = course / "source" / "a" / "a.ipynb"
    source.parent.mkdir(parents=True)
    nbformat.write(notebook, source)
    made = nbgrader("generate_assignment", "a")
    release = nbformat.read(course / "release" / "a" / "a.ipynb", 4) if made.returncode == 0 else sys.exit(made.stderr)
    release.cells[0].source = answer
    for student in range(students):
        submitted = course / "submitted" / f"s{student}" / "a" / "a.ipynb"
        submitted.parent.mkdir(parents=True)
        nbformat.write(release, submitted)
    start = time.perf_counter()
    nbgrader("autograde", "a", f"--ExecutePreprocessor.timeout={limit}")
    took = time.perf_counter() - start
    nbgrader("export", "--to=marks.csv")
    rows = (course / "marks.csv").read_text().splitlines()
    column = rows[0].split(",").index("score")
    marks = [float(row.split(",")[column]) for row in rows[1:]]
print(json.dumps({"seconds": took, "marks": marks, "of": len(tests)}))
