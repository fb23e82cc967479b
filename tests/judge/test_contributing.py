"""CONTRIBUTING's exercise: built from its blocks it is sound, and one folder is all that it takes."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from practice.grader.catalogue import read_card
from practice.grader.lint.prove import prove
from practice.grader.tell.soundness import render_soundness

ROOT = Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```\w+ title=(\S+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
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
def test_one_folder_is_all_that_it_takes(judge: Judge, copy: Path, lang: str) -> None:
    door, own = (
        copy / "judge.py",
        {"XDG_STATE_HOME": str(copy / "state"), "LANG": {"en": "C", "zh": "zh_CN.UTF-8"}[lang]},
    )
    folder = build(copy / "practice/exercises/causal_mask")
    assert "causal_mask" in judge("list", door=door, **own)[1]
    assert judge("start", "causal_mask", door=door, **own)[0] == 0
    status, out, _ = judge("run", "causal_mask", door=door, **own)
    assert status == 1
    status, out, _ = judge("run", "causal_mask", folder / "mutants/top_left.py", door=door, **own)
    assert status == 1
    assert {"en": "aligns the triangle at the top left", "zh": "三角形按左上角对齐"}[lang] in out.lower()
    status, out, _ = judge("run", "causal_mask", folder / "reference.py", door=door, **own)
    assert status == 0, out
    status, out, _ = judge("lint", "causal_mask", "--seeds", "1", door=door, **own)
    assert status == 0, out
