"""The eviction visualiser: what it says of a small recording, moved by keys and without a kernel."""

from __future__ import annotations

import json

import pytest
import torch
from playwright.sync_api import expect

from bare_page import show
from mini_llm.experiments import results
from mini_llm.experiments.replay import LENGTH
from mini_llm.experiments.store import Row
from mini_llm.longctx.replay import STEP, as_numbers
from mini_llm.longctx.text import TEXTS
from mini_llm.show.eviction_replay import EvictionReplay

STEPS, T, LAYERS = 4, 64, (0, 14)
TEXT = "".join(f" {token:02d}" for token in range(T))
LOSSES = {"full/64": [2.0, 2.0, 2.0, 2.0], "sinks.0/32": [2.0, 2.0, 3.0, 4.0], "sinks.1/32": [2.0, 2.0, 2.0, 2.5]} | {
    f"{name}/{budget}": [2.0, 3.0, 3.0, 3.0] for name, budget in (("h2o", 32), ("sinks.0", 16), ("sinks.1", 16))
}


def recorded() -> dict[str, Row]:
    """3 KV heads hold all that was read, but from step 3 on none holds token 0 in the window, and one under h2o, which
    holds none of step 3's own tokens then."""
    rows: dict[str, Row] = {}
    for choice, losses in LOSSES.items():
        cells = torch.zeros(len(LAYERS), STEPS, T, dtype=torch.uint8)
        for step in range(STEPS):
            cells[:, step, : (step + 1) * STEP] = 16 * 3 + 2
        if choice == "h2o/32":
            cells[:, 2, 2 * STEP : 3 * STEP] = 0
        cells[:, 2:, 0] = {"sinks.0/32": 0, "h2o/32": 16 + 5}.get(choice, 16 * 3 + 5)
        rows[f"{choice}/steps"] = {"nll": losses, "first.0": [0.1] * STEPS, "first.14": [0.5, 0.7, 0.4, 0.4]}
        if choice == "full/64":
            rows[f"{choice}/steps"]["ends"] = [3.0 * (token + 1) for token in range(T)]
        rows[f"{choice}/cells"] = {"deflated": as_numbers(cells)}
    return rows


@pytest.mark.browser
def test_moved_by_keys_it_tells_what_a_choice_costs() -> None:
    with show(small()) as page:
        said, told, canvas = page.locator(".replay-said"), page.locator(".told"), page.locator("canvas")
        expect(said).to_contain_text("Window alone, budget 32: perplexity 33, full cache 7 (after the first 32 tokens)")
        expect(said).to_contain_text("Token 0 goes in step 3; in step 2 it drew 70 % of layer 14's attention")
        expect(said).to_contain_text("1.5 nats a token above")
        page.get_by_role("slider", name="sinks").press("ArrowRight")
        expect(said).to_contain_text("1 sink + window, budget 32: perplexity 9, full cache 7")
        expect(said).to_contain_text("Token 0 stays, and draws 40 % of layer 14's attention")
        page.get_by_role("button", name="H2O").press("Enter")
        expect(said).to_contain_text("Token 0 stays in 1 of 3 KV heads, and draws 40 % of layer 14's attention.")
        expect(said).to_contain_text("Of the newest 16 tokens this layer holds 50 % on average.")
        expect(page.get_by_role("slider", name="sinks")).to_be_disabled()
        page.get_by_role("slider", name="layer").press("ArrowLeft")
        expect(said).to_contain_text("draws 10 % of layer 0's attention")
        canvas.press("ArrowRight")
        expect(told).to_have_text(
            "Step 4, token 0 “00”: held by 1 of 3 KV heads, 30 % or more of the attention."
            " Loss of the step: 3.00 nats, full cache 2.00."
        )
        for key in ("ArrowUp", "End", "ArrowRight"):
            canvas.press(key)
        expect(told).to_have_text("Step 3, token 48: still to come.")
        canvas.press("Enter")
        expect(page.get_by_text("3 of 4")).to_be_visible()
        page.get_by_role("combobox").select_option("full")
        expect(said).to_contain_text("Full cache: perplexity 7 over all 64 tokens.")


@pytest.mark.browser
def test_it_plays_from_the_start_to_the_end() -> None:
    with show(small()) as page:
        page.evaluate("window.steps = []; model.on('change:step', () => steps.push(model.get('step')))")
        page.get_by_role("button", name="play").click()
        page.wait_for_function("steps.length === 4")
        page.get_by_role("button", name="one step back").click()
        assert page.evaluate("steps") == [0, 1, 2, 3, 2]


@pytest.mark.browser
def test_chinese_says_the_same() -> None:
    widget = small()
    widget.lang = "zh"
    with show(widget) as page:
        said = page.locator(".replay-said")
        expect(said).to_contain_text("token 0 在第 3 步被淘汰；第 2 步里它还得到第 14 层 70 % 的注意力")


def small() -> EvictionReplay:
    widget = EvictionReplay(recorded(), TEXT)
    widget.budget = 32
    return widget


@pytest.mark.parametrize(("policy", "sinks"), [("full", 0), ("sinks", 0), ("sinks", 1), ("h2o", 0)])
def test_the_picture_of_each_choice(policy: str, sinks: int) -> None:
    widget = small()
    widget.policy, widget.sinks = policy, sinks
    shown = {"full": "full/64", "h2o": "h2o/32"}.get(policy, f"sinks.{sinks}/32")
    assert widget.shown == shown
    figure = widget.figure()
    bars = [bar.get_width() for bar in figure.axes[2].patches]
    assert bars == pytest.approx([loss - 2.0 for loss in LOSSES[shown]])
    signs = [text.get_text() for text in figure.axes[0].texts]
    assert signs == ["50", "70", *(["×"] * 2 if shown == "sinks.0/32" else ["40"] * 2)]
    assert widget._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")


def test_what_does_not_fit_is_told() -> None:
    with pytest.raises(ValueError, match="64 tokens, the last up to 192 of 191 characters"):
        EvictionReplay(recorded(), TEXT[1:])
    rows = recorded()
    rows["full/64/steps"]["ends"] = [1.0] * 63
    with pytest.raises(ValueError, match=r"63 tokens, .* for 64 cells"):
        EvictionReplay(rows, TEXT)
    rows = recorded()
    rows["h2o/32/cells"] = {"deflated": as_numbers(torch.zeros(2, 4, 5, dtype=torch.uint8))}
    with pytest.raises(ValueError, match="40 cells were recorded"):
        EvictionReplay(rows, TEXT)


@pytest.mark.model
def test_the_chapters_recording_fits_a_notebook() -> None:
    widget = EvictionReplay(results("replay"), TEXTS["story"].read_text(encoding="utf-8"))
    assert len(widget.tokens) == LENGTH
    assert widget.tokens[:3] == ["The", " mill", " came"]
    state = {key: value for key, value in widget.get_state().items() if not key.startswith("_") and key != "cells"}
    size = len(widget.cells) * 4 / 3 + len(json.dumps(state, default=str))
    assert size < 150_000
    assert widget.shown in widget.choices
    assert widget.layer in widget.layers
