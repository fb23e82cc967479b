"""The cost calculator: its numbers are those of ``costs``, and the page says them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from bare_page import show
from mini_llm.longctx import costs
from mini_llm.longctx.references import DEVICES, SHAPES
from mini_llm.longctx.shapes_from_config import ConfigError
from mini_llm.show.calculator import BATCHES, CURVE, PASTED, Calculator

ROOT = Path(__file__).resolve().parents[2]
GiB = 2**30
TINY = {
    "model_type": "llama",
    "hidden_size": 256,
    "intermediate_size": 512,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 1000,
}


def test_18_requests_of_32k_fit_in_16_gib_with_fp8() -> None:
    found = Calculator("Qwen2.5-7B", tokens=32_768, kv="fp8", kv_gib=16).result
    assert found["fit"] == 18
    assert found["kv_request"] == 28_672 * 32_768
    assert found["room"] == 16 * GiB


def test_left_empty_the_memory_for_kv_is_what_the_chapter_counts() -> None:
    ledger = json.loads((ROOT / "assets" / "ledger.json").read_text(encoding="utf-8"))
    for tokens in (4096, 32_768, 131_072, 1_048_576):
        found = Calculator(tokens=tokens).result
        assert found["fit"] == ledger[f"01.h100.fit.{tokens // 1024}k"]["value"]


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize(("weights", "width"), [("bf16", 2), ("int4 + scales", 5 / 8)])
def test_every_number_is_that_of_costs(name: str, weights: str, width: float) -> None:
    shape, card = SHAPES[name], DEVICES["H200 SXM"]
    found = Calculator(name, "H200 SXM", tokens=131_072, batch=7, weights=weights, kv="fp8").result
    request = costs.kv_bytes(shape, 131_072, 1)
    expected = {
        "params": shape.params,
        "active": shape.active_params,
        "weight_bytes": shape.params * width,
        "kv_token": costs.kv_bytes(shape, 1, 1),
        "kv_next": costs.kv_bytes(shape, 131_073, 1) - request,
        "kv_request": request,
        "prefill": costs.prefill_flops(shape, 131_072),
        "prefill_linear": 2 * shape.active_layer_params * 131_072,
        "prefill_attention": costs.prefill_attention_flops(shape, 131_072),
        "ttft": costs.prefill_flops(shape, 131_072) / 989.4e12,
        "tpot": costs.decode_seconds(shape, 131_072, 7, 4.8e12, width, 1),
        "tpot_weights": costs.weights_read(shape, 7) * width / 4.8e12,
        "linear": costs.decode_flops(shape),
        "attention_now": costs.attention_flops(shape, 131_072),
    }
    assert {key: found[key] for key in expected} == pytest.approx(expected)
    for key, length in {
        "decode_crossover": costs.decode_crossover(shape),
        "prefill_crossover": costs.prefill_crossover(shape),
        "break_even": costs.break_even_tokens(shape, width, 1),
    }.items():
        assert found[key] == (length if math.isfinite(length) else None)
    free = 0.92 * card.memory - shape.params * width
    assert found["fit"] == (free // request if free > 0 else 0)
    assert found["cards"] == math.ceil((shape.params * width + 7 * request) / (0.92 * card.memory))
    assert found["attention"] == [costs.attention_flops(shape, length) for length in CURVE]
    assert found["steps"][6] == found["tpot"]
    assert len(found["steps"]) == len(found["steps_weights"]) == len(BATCHES)
    json.dumps(found, allow_nan=False)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"shape": "GPT-5"}, "'GPT-5'"),
        ({"device": "TPU"}, "'TPU'"),
        ({"tokens": 1000}, "1000"),
        ({"batch": 0}, "0"),
        ({"batch": 65}, "65"),
        ({"weights": "fp16"}, "'fp16'"),
        ({"kv": "int2"}, "'int2'"),
        ({"kv_gib": -1}, "-1"),
        ({"kv_gib": math.nan}, "nan"),
    ],
)
def test_a_wrong_choice_is_named(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Calculator(**choice)


def test_a_pasted_config_is_a_model_like_the_others() -> None:
    widget = Calculator()
    widget.config = json.dumps(TINY)
    assert (widget.shape, widget.problem) == (PASTED, {})
    assert widget.offers["shapes"] == [*SHAPES, PASTED]
    assert widget.result["params"] == 2 * (2 * (4 + 2) * 64 * 256 + 3 * 256 * 512) + 2 * 256 * 1000
    before = widget.result["params"]
    widget.config = json.dumps(TINY | {"tie_word_embeddings": True})
    assert before - widget.result["params"] == 256 * 1000
    assert set(SHAPES) == set(Calculator().offers["shapes"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n"a": }', {"kind": "json", "line": 2, "column": 6}),
        ("", {"kind": "json", "line": 1, "column": 1}),
        ("[1]", {"kind": "object"}),
        ("{}", {"kind": "lacks", "key": "model_type"}),
        (json.dumps(TINY | {"vocab_size": None}), {"kind": "lacks", "key": "vocab_size"}),
        (json.dumps(TINY | {"hidden_size": 2.5}), {"kind": "value", "key": "hidden_size", "value": "2.5"}),
    ],
)
def test_a_config_that_cannot_be_read_changes_nothing_else(text: str, problem: dict[str, Any]) -> None:
    widget = Calculator()
    widget.config = json.dumps(TINY)
    before = widget.result
    widget.config = text
    assert widget.problem == problem
    assert (widget.shape, widget.result, widget.config) == (PASTED, before, text)


def connect(page: Page, widget: Calculator) -> None:
    """Let the page's model and ``widget`` tell each other what changes, as a kernel would."""
    keys = ["shape", "device", "tokens", "batch", "weights", "kv", "kv_gib", "config"]
    back = ["offers", "problem", "shape", "result"]

    def kernel(state: dict[str, Any]) -> dict[str, Any]:
        for key, value in state.items():
            if getattr(widget, key) != value:
                setattr(widget, key, value)
        return {key: getattr(widget, key) for key in back}

    page.expose_function("kernel", kernel)
    page.evaluate(
        """(keys) => {
          model.save_changes = async () => {
            const state = Object.fromEntries(keys.map((key) => [key, model.get(key)]));
            for (const [key, value] of Object.entries(await kernel(state))) model.set(key, value);
          };
          model.set("answered", 1);
        }""",
        keys,
    )


def test_without_a_kernel_the_recorded_result_stands() -> None:
    widget = Calculator(kv="fp8", kv_gib=16)
    with show(widget) as page:
        expect(page.get_by_text("18 requests of 32K fit")).to_be_visible()
        expect(page.get_by_text("a kernel is needed")).to_be_visible()
        expect(page.get_by_label("model", exact=True)).to_be_disabled()
        page.evaluate("model.set('answered', 1)")
        expect(page.get_by_label("model", exact=True)).to_be_enabled()


def test_the_controls_change_what_is_counted() -> None:
    widget = Calculator()
    with show(widget) as page:
        connect(page, widget)
        page.get_by_label("KV", exact=True).select_option("fp8")
        page.get_by_label("memory for KV, GiB").fill("16")
        page.get_by_label("memory for KV, GiB").press("Enter")
        page.get_by_text("18 requests of 32K fit").wait_for()
        page.get_by_role("slider", name="tokens of a request").press("ArrowRight")
        page.get_by_text("9 requests of 64K fit").wait_for()
        page.get_by_role("slider", name="batch").press("End")
        page.get_by_text("Batch 64 does not fit: 9 at most.").wait_for()
        page.get_by_label("memory for KV, GiB").fill("")
        page.get_by_label("memory for KV, GiB").press("Enter")
        page.get_by_text("31 requests of 64K fit").wait_for()


def test_a_config_is_pasted_and_its_faults_are_told_in_chinese() -> None:
    widget = Calculator()
    widget.lang = "zh"
    with show(widget) as page:
        connect(page, widget)
        page.get_by_text("粘贴 config.json").click()
        area, add = page.get_by_role("textbox"), page.get_by_role("button", name="计算这个模型")
        area.fill(json.dumps({key: value for key, value in TINY.items() if key != "num_hidden_layers"}))
        add.click()
        page.get_by_text("✗ 配置里缺少 num_hidden_layers。").wait_for()
        area.fill(json.dumps(TINY))
        add.click()
        page.get_by_text("✓ 已算出").wait_for()
        expect(page.get_by_label("模型", exact=True)).to_have_value(PASTED)
        expect(page.get_by_role("row", name="再加一个 token 的 KV")).to_contain_text("1,024 字节")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_nothing_is_left_unsaid(lang: str) -> None:
    widget = Calculator(tokens=2**20)
    widget.lang = lang
    with show(widget, width=640) as page:
        for name in SHAPES:
            widget.shape = name
            page.evaluate("(result) => model.set('result', result)", widget.result)
            page.evaluate("new Promise(requestAnimationFrame)")
            said = page.locator(".course").inner_text()
            assert not any(word in said for word in ("undefined", "NaN", "Infinity", "{", "null"))
            assert page.evaluate("document.documentElement.scrollWidth") <= 640


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_fault_has_words(lang: str) -> None:
    widget = Calculator()
    widget.lang = lang
    fields = {"key": "k0", "value": "v0", "known": "llama", "line": 7, "column": 9}
    told = set()
    with show(widget) as page:
        page.locator("summary").click()
        for kind in (*ConfigError.MESSAGES, "json", "object"):
            page.evaluate("(problem) => model.set('problem', problem)", {"kind": kind, **fields})
            page.evaluate("new Promise(requestAnimationFrame)")
            told.add(page.locator(".calculator-paste [role=status]").inner_text())
    assert len(told) == 6
    assert all(words.startswith("✗ ") and "{k" not in words for words in told)


@pytest.mark.parametrize("choice", [{}, {"shape": "Mistral-7B-v0.1"}, {"shape": "DeepSeek-V3", "tokens": 2**20}])
def test_the_picture_for_where_no_script_runs(choice: dict[str, Any]) -> None:
    widget = Calculator(**choice)
    data, _ = widget._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")
    assert f"hold {widget.result['fit']}" in widget.figure()._suptitle.get_text()
