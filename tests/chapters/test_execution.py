"""Running a chapter again gives its committed numbers, and the phenomena its prose asserts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest

import chapters
from chapters_comparator import output_differences
from execution import NOT_RUN, execute
from mini_llm.longctx.ledger import read as read_ledger
from phenomena import PHENOMENA

pytestmark = pytest.mark.model


@pytest.fixture(
    scope="module", params=[s for s in chapters.sources() if s.stem[0].isdigit()], ids=lambda source: source.stem
)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, chapters.Ledger]:
    """A chapter's source, its notebook executed now, and the ledger it wrote."""
    source, out = request.param, tmp_path_factory.mktemp("ledger") / "ledger.json"
    executed = execute(chapters.parse(source), out, chapters.SOURCES)
    return source, executed, json.loads(out.read_text())


def test_outputs_are_reproduced(run: tuple[Path, Any, chapters.Ledger]) -> None:
    source, executed, _ = run
    committed = nbformat.read(chapters.target(source, "en"), as_version=4)
    cells = [cell for cell in committed.cells if cell.cell_type == "code"]
    found = {
        cell.id: output_differences(cell.outputs, again.outputs, rel_tol=0.01)
        for cell, again in zip(cells, executed.cells, strict=True)
        if NOT_RUN not in again.metadata.get("tags", [])
    }
    assert {cell: differences for cell, differences in found.items() if differences} == {}


def test_the_ledger_is_reproduced(run: tuple[Path, Any, chapters.Ledger]) -> None:
    source, _, recorded = run
    ledger = {k: e for k, e in read_ledger().items() if k.startswith(source.stem.split("_")[0] + ".")}
    assert {k: e["rel_tol"] for k, e in recorded.items()} == {k: e["rel_tol"] for k, e in ledger.items()}
    assert chapters.not_reproduced(ledger, recorded) == []


def test_the_phenomena_hold(run: tuple[Path, Any, chapters.Ledger]) -> None:
    source, _, ledger = run
    PHENOMENA[source.stem]({key: entry["value"] for key, entry in ledger.items()})
