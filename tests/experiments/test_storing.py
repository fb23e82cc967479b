"""Running experiments: what counts as the same code, and what an interruption loses."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from mini_llm.experiments import __main__ as command
from mini_llm.experiments import fingerprint, store

SOURCE = '''"""About."""
import math  # for e

E = "#" "x"


def f(x: int) -> str:
    """What it does,

    in lines."""
    # why
    return f"{x}#" + """two
lines"""
'''


def test_comments_docstrings_and_blank_lines_do_not_count() -> None:
    bare = 'import math\nE = "#" "x"\ndef f(x: int) -> str:\n    return f"{x}#" + """two\nlines"""'
    assert fingerprint.essence(SOURCE) == bare


@pytest.mark.parametrize(("old", "new"), [("math", "cmath"), ('"#"', '"-"'), ("two", "three"), ("x: int", "x: float")])
def test_code_counts(old: str, new: str) -> None:
    assert fingerprint.essence(SOURCE) != fingerprint.essence(SOURCE.replace(old, new))


@pytest.mark.model
def test_a_fingerprint_follows_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint.fingerprint("mini_llm.experiments.lab")
    monkeypatch.setattr(fingerprint, "essence", lambda source: source.replace("softmax", "softmin"))
    changed = fingerprint.fingerprint("mini_llm.experiments.lab")
    monkeypatch.setattr(fingerprint, "essence", lambda source: source)
    assert before != changed != fingerprint.fingerprint("mini_llm.experiments.lab")


@pytest.fixture
def experiments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """One experiment of three rows that notes what it is asked; `now` is its fingerprint."""
    asked: list[str] = []
    state: dict[str, Any] = {"now": "1", "asked": asked, "fails": ""}

    def run(_: object, row: str) -> dict[str, float | list[float]]:
        if row == state["fails"]:
            raise KeyboardInterrupt
        asked.append(row)
        return {"value": len(asked) / 3, "list": [1.0, 2 / 3]}

    module = SimpleNamespace(ROWS=("a", "b", "c"), SAMPLE=("a",), REL_TOL=0.01, run=run)
    monkeypatch.setattr(store, "FOLDER", tmp_path)
    for where in (store, command):
        monkeypatch.setattr(where, "names", lambda: ["toy"])
        monkeypatch.setattr(where, "experiment", lambda name: module)
        monkeypatch.setattr(where, "current", lambda name: state["now"])
    return state


def test_only_what_is_missing_or_stale_is_measured(experiments: dict[str, Any]) -> None:
    experiments["fails"] = "b"
    with pytest.raises(KeyboardInterrupt):
        command.main([])
    assert list(store.read("toy")["rows"]) == ["a"]
    experiments["fails"] = ""
    command.main([])
    command.main([])
    assert experiments["asked"] == ["a", "b", "c"]
    experiments["now"] = "2"
    command.main([])
    assert experiments["asked"] == ["a", "b", "c"] * 2


def test_what_is_named_is_measured_again(experiments: dict[str, Any]) -> None:
    command.main([])
    command.main(["toy"])
    assert experiments["asked"] == ["a", "b", "c"] * 2


def test_six_digits_are_stored(experiments: dict[str, Any]) -> None:
    command.main([])
    assert json.loads((store.FOLDER / "toy.json").read_text())["rows"]["a"] == {
        "value": 0.333333,
        "list": [1, 0.666667],
    }


def test_an_unknown_name_is_told(experiments: dict[str, Any]) -> None:
    with pytest.raises(SystemExit, match="no experiment other; there are toy"):
        command.main(["other"])
