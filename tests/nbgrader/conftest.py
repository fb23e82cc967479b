"""One course for the tests of nbgrader: thirty students, from the exchange to their feedback."""

import shutil
import sys
from pathlib import Path

import pytest
from classes.course import Course
from classes.thirty import ASSIGNMENT, the_class

collect_ignore_glob = [] if sys.platform == "linux" else ["test_*.py"]  # nbgrader's exchange, the judge's sandbox

SEED = 20260105
LEFT_ALONE = ("source", "release", "submitted")
WITH_FEEDBACK = "[hwx]0[137]"


class Graded(Course):
    """The course after everybody's submission was graded; `before` is what must not change in that."""

    def __init__(self, top: Path) -> None:
        super().__init__(top)
        (self.folder / ".judge-seed").write_text(str(SEED))
        self.nbgrader("generate_assignment", ASSIGNMENT)
        self.nbgrader("release_assignment", ASSIGNMENT)
        released = self.notebook("release", ASSIGNMENT)
        for student in the_class(self.folder):
            student.hand_in(self.inbound(student.name, ASSIGNMENT), released, self.folder)
        self.strange = self._strange_folders(self.inbound("h01", ASSIGNMENT))
        self.collected = self.nbgrader("collect", ASSIGNMENT)
        self.before = self.look()
        self.told = self.nbgrader("autograde", ASSIGNMENT)
        self.nbgrader("generate_feedback", ASSIGNMENT, "--student", WITH_FEEDBACK)

    def look(self) -> dict[str, bytes]:
        """The files that grading must leave alone, by path."""
        files = [path for name in LEFT_ALONE for path in (self.folder / name).rglob("*") if path.is_file()]
        return {str(path.relative_to(self.folder)): path.read_bytes() for path in files}

    def feedback(self, student: str) -> str:
        """The page that a student is given."""
        return (self.folder / f"feedback/{student}/{ASSIGNMENT}/{ASSIGNMENT}.html").read_text(encoding="utf-8")

    def _strange_folders(self, honest: Path) -> list[str]:
        """Folders in the exchange that `nbgrader submit` would not have made."""
        times = {"-rf": "2026-01-05 10:00:00", "<b>": "2026-01-05 10:00:00", "late": "never", "wide": "２０２６-01-05"}
        for student, time in times.items():
            shutil.copytree(honest, self.inbound(student, ASSIGNMENT, time))
        self.inbound("linked", ASSIGNMENT).symlink_to(self.folder / "source" / ASSIGNMENT)
        self.inbound("a_file", ASSIGNMENT).write_text("")
        return [*times, "linked", "a_file"]


@pytest.fixture(scope="session")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Graded:
    """The class of thirty, graded by nbgrader's own commands."""
    return Graded(tmp_path_factory.mktemp("class"))
