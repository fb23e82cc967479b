"""The pieces experiments stand on: eviction, the passage, the probe, the ledger."""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import Tensor

from mini_llm import Transformer
from mini_llm.longctx import ledger
from mini_llm.longctx.eviction import sinks_and_window
from mini_llm.longctx.probe import capture_qkv
from mini_llm.longctx.text import TEXTS, passage_ids


@pytest.mark.parametrize(
    ("slots", "budget", "sinks", "kept"),
    [
        (12, 6, 2, [0, 1, 8, 9, 10, 11]),
        (12, 6, 0, [6, 7, 8, 9, 10, 11]),
        (12, 2, 2, [0, 1]),
        (3, 6, 2, [0, 1, 2]),
        (6, 6, 2, [0, 1, 2, 3, 4, 5]),
        (7, 6, 2, [0, 1, 3, 4, 5, 6]),
        (0, 6, 2, []),
        (5, 0, 0, []),
    ],
)
def test_sinks_and_window(slots: int, budget: int, sinks: int, kept: list[int]) -> None:
    assert sinks_and_window(slots, budget, sinks).tolist() == kept


@pytest.mark.parametrize(("budget", "sinks"), [(3, 4), (4, -1)])
def test_a_budget_smaller_than_the_sinks_is_named(budget: int, sinks: int) -> None:
    with pytest.raises(ValueError, match=f"budget={budget} must be at least sinks={sinks}"):
        sinks_and_window(12, budget, sinks)


def test_a_text_too_short_is_named(tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    short.write_text("three short words")
    words = lambda text: SimpleNamespace(input_ids=list(range(len(text.split()))))  # noqa: E731
    assert passage_ids(words, 3, short).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=r"short\.txt has 3 tokens, but 4 were asked for.*longer text"):
        passage_ids(words, 4, short)
    with pytest.raises(ValueError, match="length=0"):
        passage_ids(words, 0, short)


@pytest.mark.parametrize(
    ("text", "sha256"),
    [
        ("story", "654d0f3f3fe63231f68d5876b5f07a271b18d0adcab0e7919a9511b0c606c904"),
        ("code", "464b3ab7f2548d106ea157bf2782116946e16154655948c08f34ee295b1aca96"),
    ],
)
def test_the_texts_are_frozen(text: str, sha256: str) -> None:
    """Every measured number depends on them: change one, and experiments and chapters must be run again."""
    assert hashlib.sha256(TEXTS[text].read_bytes()).hexdigest() == sha256


def test_captured_qkv_give_the_layers_own_attention(tiny: Transformer) -> None:
    ids = torch.arange(10)
    entered: list[Tensor] = []
    hooks = [
        layer.self_attn.o_proj.register_forward_pre_hook(lambda _, args: entered.append(args[0]))
        for layer in tiny.layers
    ]
    captured = capture_qkv(tiny, ids)
    for hook in hooks:
        hook.remove()
    for layer, output in zip(captured, entered, strict=True):
        k, v = (x.repeat_interleave(3, 0) for x in (layer.k, layer.v))
        scores = (layer.q @ k.mT * 16**-0.5).masked_fill(~torch.ones(10, 10, dtype=torch.bool).tril(), -torch.inf)
        expected = (scores.softmax(-1) @ v).transpose(0, 1).reshape(1, 10, -1)
        torch.testing.assert_close(output, expected, atol=1e-4, rtol=1e-4)
    assert not any(layer.self_attn._forward_pre_hooks for layer in tiny.layers)


def test_the_ledger_is_written_only_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "ledger.json"
    monkeypatch.delenv("LEDGER_OUT", raising=False)
    before = ledger.LEDGER.read_bytes()
    assert ledger.record("99.x", 2.5) == 2.5
    assert ledger.LEDGER.read_bytes() == before
    with pytest.raises(ValueError, match=r"99\.x was measured as nan"):
        ledger.record("99.x", float("nan"))
    monkeypatch.setenv("LEDGER_OUT", str(out))
    ledger.record("99.x", 2.5)
    ledger.record("99.a", 1.0, rel_tol=0.5)
    assert ledger.read(out) == {"99.a": {"value": 1.0, "rel_tol": 0.5}, "99.x": {"value": 2.5, "rel_tol": 0.002}}
