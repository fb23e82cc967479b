"""CONTRIBUTING's exercise: built from its blocks it is sound, and one folder is all that it takes."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from practice.grader.catalogue import read_card
from practice.grader.lint.prove import prove
from practice.grader.tell.soundness import render_soundness

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^````\w+ title=(\S+)\n(.*?)^````$", re.DOTALL | re.MULTILINE)
Judge = Callable[..., tuple[int, str, str]]


def build(folder: Path) -> Path:
    """Write the example's files into `folder`."""
    for file, text in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")):
        path = folder / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_the_example_is_sound(tmp_path: Path) -> None:
    found = prove(read_card(build(tmp_path / "causal_mask")), range(20))
    assert found.is_sound, render_soundness(found, "en")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_one_folder_is_all_that_the_judge_needs(judge: Judge, copy: Path, lang: str) -> None:
    def here(*arguments: object) -> tuple[int, str]:
        status, out, err = judge(*arguments, "--lang", lang, door=copy / "judge.py", XDG_STATE_HOME=str(copy / "state"))
        assert err == ""
        return status, out

    folder = build(copy / "practice/exercises/causal_mask")
    assert "causal_mask" in here("list")[1]
    assert here("start", "causal_mask")[0] == 0
    assert here("run", "causal_mask")[0] == 1
    mutant = folder / "mutants/aligned_at_the_oldest.py"
    status, page = here("run", "causal_mask", mutant)
    assert status == 1
    assert mutant.read_text(encoding="utf-8").split(f"{lang}: ")[1].split("\n")[0] in page
    shutil.copy(folder / "reference.py", copy / "practice/answers/causal_mask.py")
    status, page = here("run", "causal_mask")
    assert (status, page.splitlines()[-1][:4]) == (0, "PASS")
    assert here("lint", "causal_mask", "--seeds", "1")[0] == 0


def test_the_tests_take_it_as_they_take_every_exercise(copy: Path) -> None:
    """Those that run for each exercise, `test_sound` but for its time, in a copy where one folder was added."""
    build(copy / "practice/exercises/causal_mask")
    others = shutil.ignore_patterns("__pycache__", "test_batch_*")  # a batch's tests need more than tests/judge
    shutil.copytree(ROOT / "tests/judge", copy / "tests/judge", ignore=others)
    shutil.copy(ROOT / "pyproject.toml", copy)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/judge", "-k"]
    environment = {**os.environ, "PYTHONPATH": str(copy)}
    done = subprocess.run(
        [*command, "(causal_mask and not sound) or no_mutation_of_a_reference"],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[-1]) >= 10
