"""An nbgrader course in a folder of its own, worked by nbgrader's own commands."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "IPYTHONDIR", "XDG_STATE_HOME")
SECONDS = 300


def environment(home: Path) -> dict[str, str]:
    """What nbgrader's commands see: a home of their own, the course's programs first."""
    own = {name: str(home / name.lower()) for name in FOLDERS}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "OMP_NUM_THREADS": "1", **own}


class Course:
    """A course folder under `top`, built in `language`."""

    def __init__(self, top: Path, language: str = "en") -> None:
        self.home, self.folder = top / "home", top / "classroom"
        self.home.mkdir()
        self.build(language)

    def build(self, language: str, status: int = 0) -> str:
        """Write the course folder, again where it is there; what the command says."""
        door = ROOT / "practice/judge.py"
        return self.run(sys.executable, door, "assignment", "build", self.folder, "--lang", language, status=status)

    def run(self, *words: object, cwd: Path | None = None, status: int = 0) -> str:
        """Run a command in the course folder; its output.  Fails where its exit status is another."""
        where = cwd or (self.folder if self.folder.is_dir() else self.home)
        done = subprocess.run(
            [str(word) for word in words],
            cwd=where,
            env=environment(self.home),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == status, done.stdout[-4000:]
        return done.stdout

    def nbgrader(self, *words: object, **more: Any) -> str:
        return self.run("nbgrader", *words, **more)

    def notebook(self, step: str, assignment: str, student: str = "") -> dict[str, Any]:
        """A notebook of the assignment at one step of nbgrader's."""
        path = self.folder / step / student / assignment / f"{assignment}.ipynb"
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found

    @contextmanager
    def gradebook(self) -> Iterator[Gradebook]:
        with Gradebook(f"sqlite:///{self.folder / 'gradebook.db'}", "long_context") as opened:
            yield opened

    def scores(self, assignment: str) -> dict[str, dict[str, float]]:
        """Automatic scores by student and exercise."""
        with self.gradebook() as gradebook:
            return {
                submission.student.id: {
                    grade.cell.name.removesuffix("-test"): grade.auto_score for grade in submission.notebooks[0].grades
                }
                for submission in gradebook.assignment_submissions(assignment)
            }

    def inbound(self, student: str, assignment: str, time: str = "2026-01-05 10:00:00.000000 UTC") -> Path:
        """Where `nbgrader submit` would put a student's folder."""
        return self.folder / "exchange/long_context/inbound" / f"{student}+{assignment}+{time}+abcdefghijkl"
