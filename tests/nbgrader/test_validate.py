"""The student's own check before handing in: `nbgrader validate` runs the public checks in the student's kernel."""

import json
import sys
from pathlib import Path

from classes.thirty import ASSIGNMENT, IDS

ANSWER = Path(__file__).with_name("answer.py")


def test_validate_tells_which_public_check_fails(graded, tmp_path):
    path = tmp_path / f"{ASSIGNMENT}.ipynb"
    path.write_text(json.dumps(graded.notebook("release", ASSIGNMENT)), encoding="utf-8")
    graded.run(sys.executable, ANSWER, path, "question-answer", *IDS[1:])
    told = graded.nbgrader("validate", path, cwd=tmp_path)
    assert "VALIDATION FAILED ON 1 CELL" in told
    assert "NotImplementedError" in told
    assert "got = evict_sinks(k, v, positions, budget, sinks)" in told
