"""Fills in a notebook, an exercise by its reference, a question by a sentence: `answer.py NOTEBOOK NAME ...`."""

import json
import sys
from pathlib import Path

EXERCISES = Path(__file__).resolve().parents[2] / "practice/exercises"

path, *names = sys.argv[1:]
notebook = json.loads(Path(path).read_text(encoding="utf-8"))
for cell in notebook["cells"]:
    name = cell["metadata"].get("nbgrader", {}).get("grade_id")
    if name in names:
        reference = EXERCISES / name / "reference.py"
        cell["source"] = reference.read_text(encoding="utf-8") if reference.exists() else "It depends."
Path(path).write_text(json.dumps(notebook), encoding="utf-8")
