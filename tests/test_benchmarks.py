"""The benchmark runs from end to end in its small form: every row, both dtypes, table, plot and JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from conftest import ROOT
from original_streaming import next_token_nll as by_the_original
from torch import Tensor

from mini_llm import BoundedKVCache, Transformer
from mini_llm.longctx.perplexity import next_token_nll

pytestmark = pytest.mark.model


def test_the_small_form_writes_every_row(tmp_path: Path) -> None:
    command = [sys.executable, "benchmarks/run.py", "--quick", "--out", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=900)
    found = json.loads((tmp_path / "cpu.json").read_text())
    committed = json.loads((ROOT / "benchmarks" / "results" / "cpu.json").read_text())
    assert [(row["dtype"], row["goal"]) for row in found["rows"] if row["goal"]] == [
        (row["dtype"], row["goal"]) for row in committed["rows"] if row["goal"]
    ]
    assert found["machine"].keys() == committed["machine"].keys()
    assert found["limits"].keys() == committed["limits"].keys()
    assert all(row["ours"] > 0 and row["other"] > 0 for row in found["rows"])
    judge, before = (json.loads((f / "judge.json").read_text()) for f in (tmp_path, ROOT / "benchmarks" / "results"))
    assert [row["goal"] for row in judge["rows"] if row["goal"]] == [
        row["goal"] for row in before["rows"] if row["goal"]
    ]
    assert (tmp_path / "cpu.png").stat().st_size > 10_000
    assert all(row["row"] in (tmp_path / "cpu.md").read_text() for row in found["rows"])


def test_the_baseline_is_what_the_masked_pass_computes(
    model: Transformer, model_folder: Path, passage_ids: Tensor
) -> None:
    from transformers import LlamaForCausalLM

    theirs, ids = LlamaForCausalLM.from_pretrained(model_folder), passage_ids[:96]
    expected = by_the_original(theirs, ids, budget=24, sinks=4)
    for chunk in (1, 95):
        cache = BoundedKVCache(len(model.layers), budget=24, sinks=4, in_cache_positions=True)
        torch.testing.assert_close(next_token_nll(model, ids, cache, chunk), expected, atol=1e-4, rtol=1e-4)
    true_positions = next_token_nll(model, ids, BoundedKVCache(len(model.layers), budget=24, sinks=4))
    assert (true_positions - expected).abs().max() > 1e-3
