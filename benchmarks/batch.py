"""The rate of `judge batch` beside nbgrader's on the same exercise: part of ``make bench``.

A grading's cost is told twice: by the clock, which other programs on the machine lengthen, and in CPU seconds of all
its processes, which they hardly do.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from judging import CARD, HERE, REFERENCE, ROOT, _probe, _python, _row, _said, write_results
from tqdm import tqdm

Row = dict[str, Any]
STUDENTS, WRONG_STUDENTS, NBGRADER_STUDENTS = 1000, 200, (2, 8)
GOAL = 20.0
MUTANTS = CARD.folder / "mutants"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few students, and no peer")
    parser.add_argument("--out", type=Path, default=HERE / "results", help="folder to write to")
    options = parser.parse_args()
    students, wrong = (40, 40) if options.quick else (STUDENTS, WRONG_STUDENTS)
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    parts = [lambda: _judge("all right", [REFERENCE], students, cores)]
    parts += [lambda: _judge("all wrong", sorted(MUTANTS.glob("*.py")), wrong, cores)]
    parts += [] if options.quick else [_nbgrader]
    rows = [row for part in tqdm(parts, desc="batch", file=sys.stdout) for row in part()]
    write_results(options.out / "batch", "A class", rows, ("what", "who", "found"))
    print(f"{len(rows)} rows: {options.out}")


def _judge(what: str, answers: list[Path], students: int, jobs: int) -> list[Row]:
    """A class of `students` who hand in `answers` in turn, after a batch of two that says what starting costs."""
    with tempfile.TemporaryDirectory() as folder:
        few = _batch(Path(folder) / "few", answers, 2, jobs)
        many = _batch(Path(folder) / "many", answers, students, jobs)
    seconds, used = (after - before for before, after in zip(few, many, strict=True))
    graded = students - 2
    what = f"{students} students, {what}, {jobs} jobs"
    return [
        _row(f"{what}: gradings a second", "judge batch", graded / seconds, ""),
        _row(f"{what}: gradings a CPU second (goal: >= {GOAL:g})", "judge batch", graded / used, ""),
        _row(f"{what}: starting and ending", "judge batch", few[0], "s"),
    ]


def _batch(folder: Path, answers: list[Path], students: int, jobs: int) -> tuple[float, float]:
    """Seconds by the clock and CPU seconds of one batch."""
    for number in range(students):
        (folder / f"{number:04}").mkdir(parents=True)
        shutil.copy(answers[number % len(answers)], folder / f"{number:04}" / f"{CARD.id}.py")
    words = ["batch", str(folder), CARD.id, "--out", f"{folder}-results", "--jobs", str(jobs), "--seed", "0"]
    start, before = time.perf_counter(), _cpu_seconds()
    subprocess.run([sys.executable, str(ROOT / "practice/judge.py"), *words], check=True, capture_output=True)
    return time.perf_counter() - start, _cpu_seconds() - before


def _cpu_seconds() -> float:
    """CPU seconds of all processes that this one has started and that have ended, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _nbgrader() -> list[Row]:
    who = "nbgrader 0.9.6"
    if _python("nbgrader") is None:
        return [_said("a class", who, "not to be installed here")]
    few, many = NBGRADER_STUDENTS
    took = {}
    for students in NBGRADER_STUDENTS:
        before = _cpu_seconds()
        found = _probe("nbgrader", str(REFERENCE), str(students), "30", patience=600)
        assert found
        assert found["marks"] == [found["of"]] * students, found
        took[students] = found["seconds"], _cpu_seconds() - before
    seconds, used = (after - before for before, after in zip(took[few], took[many], strict=True))
    what = f"{many} students, all right"
    return [
        _row(f"{what}: gradings a second", who, (many - few) / seconds, ""),
        _row(f"{what}: gradings a CPU second", who, (many - few) / used, ""),
    ]


if __name__ == "__main__":
    main()
