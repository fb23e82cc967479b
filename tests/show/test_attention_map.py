"""The attention map: every share told is the tensor's, in every text, layer and head."""

from __future__ import annotations

from itertools import product

import pytest
import torch
from playwright.sync_api import expect
from torch import Tensor

from bare_page import show
from mini_llm.show.attention_map import AttentionMap

LAYERS, HEADS = 3, 2
TEXTS = {"one two": ["one", " two"], "a\nb c d": ["a", "\n", "b", " ", " d"]}


def causal_weights(T: int) -> list[Tensor]:
    scores = 3 * torch.randn(LAYERS, HEADS, T, T, generator=torch.manual_seed(T))
    return list(scores.masked_fill(torch.ones(T, T).triu(1).bool(), -torch.inf).softmax(-1))


MAPS = {text: (words, causal_weights(len(words))) for text, words in TEXTS.items()}
LONGER = "a\nb c d"


def percent(share: Tensor) -> str:
    return f"{share.item():.0%}".replace("%", " %") if share >= 0.005 else "< 1 %"


def told(text: str, layer: int, head: int, query: int, key: int) -> str:
    words, weights = MAPS[text]
    names = [word.strip() or word.replace("\n", "↵").replace(" ", "␣") for word in words]
    if key > query:
        return f"Key {key} “{names[key]}” comes after query {query} “{names[query]}”, which cannot see it."
    to = "itself" if key == query else f"key {key} “{names[key]}”"
    return f"Query {query} “{names[query]}” gives {percent(weights[layer][head, query, key])} to {to}."


@pytest.mark.browser
def test_every_share_of_every_text_layer_and_head_is_told_as_it_is() -> None:
    with show(AttentionMap(MAPS, "one two", 0, 0)) as page:
        for (text, (words, weights)), (layer, head) in product(MAPS.items(), ((0, 0), (2, 1), (1, 0))):
            T = len(words)
            page.evaluate(SHOW, {"text": text, "layer": layer, "head": head})
            on_first = percent(weights[layer][head, 1:, 0].mean())
            expect(page.get_by_text(f"Layer {layer}, head {head}: {on_first} on the first token")).to_be_visible()
            walk = page.locator("canvas").evaluate(WALK, T)
            assert walk == [told(text, layer, head, query, key) for query in range(T) for key in range(T)]


@pytest.mark.browser
def test_a_text_is_entered_where_its_last_query_looks_most() -> None:
    with show(AttentionMap(MAPS, "one two", 1, 0)) as page:
        page.get_by_role("combobox").select_option(LONGER)
        most = int(MAPS[LONGER][1][1][0, -1].argmax())
        expect(page.locator("div[role=status]")).to_have_text(told(LONGER, 1, 0, 4, most))


SHOW = "(state) => Object.entries(state).forEach(([key, value]) => model.set(key, value))"
WALK = """(canvas, T) => {
    const [told, press] = [[], (key, times) => [...Array(times)].forEach(
        () => canvas.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })))];
    for (let query = 0; query < T; query++) {
        press('ArrowUp', T); press('ArrowDown', query); press('ArrowLeft', T);
        for (let key = 0; key < T; key++, press('ArrowRight', 1))
            told.push(document.querySelector('[role=status]').textContent);
    }
    return told;
}"""


@pytest.mark.browser
def test_the_keys_move_the_sliders_and_walk_and_the_names_follow() -> None:
    with show(AttentionMap(MAPS, LONGER, 0, 0)) as page:
        page.get_by_role("slider", name="layer").press("ArrowRight")
        page.get_by_role("slider", name="head").press("ArrowRight")
        expect(page.get_by_text("Layer 1, head 1:")).to_be_visible()
        canvas = page.locator("canvas")
        for key in ["ArrowUp"] * 5 + ["ArrowLeft"] * 5 + ["ArrowDown"] * 3 + ["ArrowRight"]:
            canvas.press(key)
        expect(page.locator("div[role=status]")).to_have_text(told(LONGER, 1, 1, 3, 1))
        expect(page.locator(".here")).to_have_text(["↵", "␣"])


@pytest.mark.browser
def test_nothing_moves_or_is_cut_while_the_reader_walks() -> None:
    wide = {"long": (["grapefruit"] * 12, causal_weights(12))}
    with show(AttentionMap(wide, "long", 0, 0), width=520) as page:
        canvas = page.locator("canvas")
        before = canvas.bounding_box()
        for key in ("Home", "PageUp", "End", "PageDown", "ArrowLeft"):
            canvas.press(key)
            assert canvas.bounding_box() == before
        expect(page.locator("div[role=status]")).to_contain_text("Query 11 “grapefruit” gives")
        assert page.evaluate("document.documentElement.scrollWidth") <= 520


@pytest.mark.browser
def test_the_pointer_tells_the_cell_that_it_is_on() -> None:
    with show(AttentionMap(MAPS, LONGER, 2, 0), dark=True, width=640) as page:
        box = page.locator("canvas").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + 1.5 * box["width"] / 5, box["y"] + 2.5 * box["height"] / 5)
        expect(page.locator("div[role=status]")).to_have_text(told(LONGER, 2, 0, 2, 1))


@pytest.mark.browser
def test_chinese_says_the_same() -> None:
    widget = AttentionMap(MAPS, LONGER, 1, 1)
    widget.lang = "zh"
    on_first = percent(MAPS[LONGER][1][1][1, 1:, 0].mean())
    with show(widget) as page:
        expect(page.get_by_text(f"第 1 层，头 1：平均 {on_first} 落在第一个 token 上")).to_be_visible()


def test_the_picture_shows_the_head_in_view() -> None:
    widget = AttentionMap(MAPS, "one two", 0, 0)
    widget.text, widget.layer, widget.head = LONGER, 2, 1
    axis = widget.figure().axes[0]
    weights = MAPS[LONGER][1][2][1]
    assert widget._repr_mimebundle_()[0]["image/png"].startswith(b"\x89PNG")
    assert axis.get_title() == f"layer 2, head 1: {percent(weights[1:, 0].mean())} on the first token"
    assert axis.images[0].get_array().data == pytest.approx(weights.numpy(), abs=0.0051)
    assert [label.get_text() for label in axis.get_xticklabels()] == ["a", "↵", "b", "␣", "d"]


@pytest.mark.parametrize(
    ("maps", "text", "layer", "head", "named"),
    [
        (MAPS, "three", 0, 0, "'three'"),
        (MAPS, LONGER, LAYERS, 0, "layer 3"),
        (MAPS, LONGER, 0, -1, "head -1"),
        ({"short": (["a"], causal_weights(2))}, "short", 0, 0, "1 words"),
        ({"long": (["a"] * 33, causal_weights(33))}, "long", 0, 0, "33 words"),
        ({"one": (["a"], causal_weights(1))}, "one", 0, 0, "1 words"),
        (MAPS | {"flat": (["a", "b"], causal_weights(2)[:2])}, LONGER, 0, 0, "'flat'"),
        ({"wide": (["a", "b"], [torch.ones(HEADS, 1, 2)])}, "wide", 0, 0, "'wide'"),
    ],
)
def test_what_does_not_fit_is_named(
    maps: dict[str, tuple[list[str], list[Tensor]]], text: str, layer: int, head: int, named: str
) -> None:
    with pytest.raises(ValueError, match=named):
        AttentionMap(maps, text, layer, head)
