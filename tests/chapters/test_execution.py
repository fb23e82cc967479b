"""Running a chapter again gives its committed numbers, and the phenomena its prose asserts."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import nbformat
import pytest

import chapters
from chapters_comparator import output_differences

pytestmark = pytest.mark.model


@pytest.fixture(scope="module", params=chapters.sources(), ids=lambda source: source.stem)
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any, chapters.Ledger]:
    """A chapter's source, its notebook executed now, and the ledger it wrote."""
    source, out = request.param, tmp_path_factory.mktemp("ledger") / "ledger.json"
    executed = chapters.execute(chapters.parse(source), out)
    return source, executed, json.loads(out.read_text())


def test_outputs_are_reproduced(run: tuple[Path, Any, chapters.Ledger]) -> None:
    source, executed, _ = run
    committed = nbformat.read(chapters.target(source, "en"), as_version=4)
    cells = [cell for cell in committed.cells if cell.cell_type == "code"]
    found = {
        cell.id: output_differences(cell.outputs, again.outputs, rel_tol=0.01)
        for cell, again in zip(cells, executed.cells, strict=True)
    }
    assert {cell: differences for cell, differences in found.items() if differences} == {}


def test_the_ledger_is_reproduced(run: tuple[Path, Any, chapters.Ledger]) -> None:
    source, _, recorded = run
    ledger = {k: e for k, e in chapters.read_ledger().items() if k.startswith(source.stem.split("_")[0] + ".")}
    assert {k: e["rel_tol"] for k, e in recorded.items()} == {k: e["rel_tol"] for k, e in ledger.items()}
    off = {
        k: (recorded[k], e)
        for k, e in ledger.items()
        if not math.isclose(recorded[k]["value"], e["value"], rel_tol=recorded[k]["rel_tol"])
    }
    assert off == {}


def test_the_phenomena_hold(run: tuple[Path, Any, chapters.Ledger]) -> None:
    source, _, ledger = run
    n = {key: entry["value"] for key, entry in ledger.items()}
    if source.stem == "01_cost":
        assert n["01.kv.llama-2-70b.gib"] == 1.25
        assert round(n["01.naive.qwen2.5-7b"]) == 37_867
        assert n["01.crossover.prefill.qwen2.5-7b"] > 1.5 * n["01.crossover.decode.qwen2.5-7b"]
    elif source.stem == "03_streaming":
        assert n["03.ppl.window"] > 1.4 * n["03.ppl.full"]
        assert n["03.ppl.sinks4"] < 1.25 * n["03.ppl.full"]
        assert n["03.sinks.1"] < 0.8 * n["03.sinks.0"]
        assert n["03.sink_mass.late_mean"] > 5 * n["03.sink_mass.early_max"]
    elif source.stem == "04_sparse":
        for budget in (256, 512, 1024):
            topk, quest, sinks, window = (n[f"04.mean.{m}.{budget}"] for m in ("topk", "quest", "sinks", "window"))
            assert topk < quest < sinks < window
            assert quest < n[f"04.mean.quest_h0.{budget}"]
        assert n["04.mean.quest.64"] > n["04.mean.sinks.64"]
        assert n["04.layer12.topk"] < n["04.layer12.quest_h0"] < n["04.layer12.window"]
        assert n["04.read.quest_h0"] < n["04.read.quest"] < 256
        assert n["04.way.quest"] < n["04.way.masked"] < n["04.way.quest_h0"]
    else:
        pytest.fail(f"no phenomenon is asserted of {source.stem}")
