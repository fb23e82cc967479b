"""Widgets that JupyterLab would forget when it saves."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from practice.grader.notebook.saving import STATES, keep_widgets

VIEW = "application/vnd.jupyter.widget-view+json"


class Folder:
    """A contents manager, as far as the hook knows it."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def _get_os_path(self, path: str) -> str:
        return str(self._root / path)


def notebook(shown: list[str], states: dict[str, Any]) -> dict[str, Any]:
    cells = [{"cell_type": "markdown", "source": ""}]
    cells += [{"cell_type": "code", "outputs": [{"data": {VIEW: {"model_id": name}}}]} for name in shown]
    metadata = {"widgets": {STATES: {"version_major": 2, "version_minor": 0, "state": states}}} if states else {}
    return {"cells": cells, "metadata": metadata}


def saved(folder: Path, there: dict[str, Any] | None, new: dict[str, Any]) -> dict[str, Any]:
    """The states that are written when `new` is saved over `there`."""
    if there:
        (folder / "01.ipynb").write_text(json.dumps(there))
    model = {"type": "notebook", "content": copy.deepcopy(new)}
    keep_widgets(model=model, path="01.ipynb", contents_manager=Folder(folder))
    found = model["content"]["metadata"].get("widgets", {}).get(STATES, {}).get("state", {})
    assert isinstance(found, dict)
    return found


MAP = {"state": {"layout": "IPY_MODEL_box"}}
BOX = {"state": {}}


def test_what_was_not_run_stays_with_all_that_it_is_made_of(tmp_path: Path) -> None:
    there = notebook(["map"], {"map": MAP, "box": BOX, "left over": BOX})
    assert saved(tmp_path, there, notebook(["map"], {})) == {"map": MAP, "box": BOX}


def test_what_was_run_is_as_the_kernel_has_it(tmp_path: Path) -> None:
    there, moved = notebook(["map"], {"map": MAP, "box": BOX}), {"state": {"layout": "IPY_MODEL_box", "layer": 3}}
    assert saved(tmp_path, there, notebook(["map"], {"map": moved})) == {"map": moved}


def test_a_widget_whose_cell_shows_another_one_goes(tmp_path: Path) -> None:
    there = notebook(["old"], {"old": BOX})
    assert saved(tmp_path, there, notebook(["new"], {"new": BOX})) == {"new": BOX}


@pytest.mark.parametrize("there", [None, notebook([], {})])
def test_nothing_to_keep(tmp_path: Path, there: dict[str, Any] | None) -> None:
    assert saved(tmp_path, there, notebook(["map"], {})) == {}


def test_other_files_are_let_be(tmp_path: Path) -> None:
    model = {"type": "file", "content": "text"}
    keep_widgets(model=model, path="a.txt", contents_manager=Folder(tmp_path))
    assert model == {"type": "file", "content": "text"}
