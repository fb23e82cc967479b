"""The Quest map: every page that it shows as read, bounded or attended is what ``longctx.sparse`` says of it."""

from __future__ import annotations

import json

import pytest
import torch
from ipywidgets import Widget
from playwright.sync_api import expect
from torch import Tensor

from bare_page import show
from mini_llm.longctx import sparse
from mini_llm.show.quest_head import MISSED, WASTED, Head
from mini_llm.show.quest_map import QuestMap

PAGE, BUDGETS = 4, (4, 12, 20, 32)
HEADS, KV_HEADS, T, S, D = 4, 2, 10, 45, 8

UNPACK = """async (esm) => {
  const source = `${esm}\nexport { fate, findHead };`;
  const view = await import(URL.createObjectURL(new Blob([source], { type: "text/javascript" })));
  const shape = model.get("shape");
  const head = view.findHead(model, { layer: model.get("layer"), head: model.get("head") });
  const table = (of) => shape.positions.map((_, row) => [...Array(shape.pages).keys()].map((page) => of(row, page)));
  return {
    read: shape.budgets.map((_, budget) => table((row, page) => head.read(row, page, budget))),
    fate: shape.budgets.map((_, budget) => table((row, page) => view.fate(head, shape, budget, row, page))),
    bound: table(head.bound), best: table(head.best), mass: table(head.mass),
  };
}"""


def layers(tied: bool = False, count: int = 3) -> tuple[list[sparse.LastQueries], list[Tensor]]:
    """Random layers; tied: pages 1, 2, 5 and 6 hold the same keys, so that their bounds are equal."""
    generator = torch.Generator().manual_seed(7)
    queries, values = [], []
    for _ in range(count):
        q, k, v = (
            torch.randn(heads, length, D, generator=generator)
            for heads, length in ((HEADS, T), (KV_HEADS, S), (KV_HEADS, S))
        )
        if tied:
            for page in (2, 5, 6):
                k[:, page * PAGE : (page + 1) * PAGE] = k[:, PAGE : 2 * PAGE]
        queries.append(sparse.LastQueries(2 * q, k))
        values.append(v)
    return queries, values


def quest_map(tied: bool = False) -> QuestMap:
    widget = QuestMap(*layers(tied), recorded=[(1, 2), (0, 0)], budgets=BUDGETS, page=PAGE)
    widget.lang = "en"
    return widget


@pytest.mark.browser
@pytest.mark.parametrize("tied", [False, True])
def test_the_view_reads_the_pages_that_top_pages_chooses(tied: bool) -> None:
    widget = quest_map(tied)
    q, head = widget.queries[1], 2
    bounds, mass = sparse.page_bounds(q, PAGE), sparse.page_mass(q, PAGE)[head].clamp(min=0)
    with show(widget) as page:
        seen = page.evaluate(UNPACK, str(widget._esm))
    visible = torch.isfinite(bounds[head])
    if tied:
        four = torch.stack([sparse.top_pages(q, bounds, 12, PAGE)[head, :, p * PAGE] for p in (1, 2, 5, 6)])
        assert (four.any(0) & ~four.all(0)).any()  # somewhere the budget ends among equal bounds
    for at, budget in enumerate(BUDGETS):
        chosen = sparse.top_pages(q, bounds, budget, PAGE)[head]
        read = torch.tensor([[bool(row[p * PAGE : (p + 1) * PAGE].any()) for p in range(12)] for row in chosen])
        assert seen["read"][at] == read.tolist()
        for row, fates in enumerate(seen["fate"][at]):
            for p, fate in enumerate(fates):
                assert fate == expected_fate(bool(visible[row, p]), bool(read[row, p]), mass[row, p].item())
    best = (q.scores[head]).split(PAGE, dim=-1)
    best = torch.stack([part.amax(-1) for part in best], -1)
    for name, true, within in (("bound", bounds[head] * D**-0.5, 1e-3), ("best", best, 1e-3), ("mass", mass, 2e-5)):
        assert torch.allclose(torch.tensor(seen[name])[visible], true[visible], atol=within, rtol=0), name


def expected_fate(visible: bool, read: bool, mass: float) -> str:
    if not visible:
        return "future"
    if read:
        return "wasted" if mass < WASTED else "read"
    return "missed" if mass >= MISSED else "unread"


def test_errors_and_counts_are_those_of_the_masks() -> None:
    queries, values = layers()
    q, v, head = queries[2], values[2], 3
    found = Head.measure(q, v, head, BUDGETS, PAGE)
    masks = {
        "quest": lambda budget: sparse.top_pages(q, sparse.page_bounds(q, PAGE), budget, PAGE),
        "sinks": lambda budget: sparse.sinks_and_window(q, budget, 4),
        "oracle": lambda budget: sparse.top_pages(q, sparse.page_mass(q, PAGE), budget, PAGE),
    }
    full = q.output(v)[head]
    for name, choose in masks.items():
        for at, budget in enumerate(BUDGETS):
            mask = choose(budget)
            error = (q.output(v, mask)[head] - full).norm() / full.norm()
            assert found.error[name][at] == pytest.approx(error.item(), abs=2e-5)
            kept = (q.weights * mask)[head].sum(-1).mean()
            assert found.kept[name][at] == pytest.approx(kept.item(), abs=2e-5)
    counts = found.counts()
    assert counts["read"] == [1, 3, 5, 8]
    missed = [
        [m >= MISSED and not r for m, r in zip(*row, strict=True)]
        for row in zip(found.mass.tolist(), found.read[0].tolist(), strict=True)
    ]
    assert counts["missed"][0] == pytest.approx(sum(map(sum, missed)) / T)


@pytest.mark.browser
def test_keys_and_sliders_move_the_view() -> None:
    widget = quest_map()
    with show(widget) as page:
        summary = page.get_by_text("On average over")
        expect(summary).to_contain_text("reads 1 pages of 4 keys")
        page.locator("[data-key=budget] input").press("ArrowRight")
        expect(summary).to_contain_text("reads 3 pages")
        page.locator("canvas").focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
            page.keyboard.press(key)
        expect(page.locator(".told")).to_contain_text(f"Query {S - T + 2}, page 1: bound")
        expect(page.locator(".quest-pointer")).to_contain_text(str(S - T + 2))
        curve = page.locator(".quest-bound")
        before = curve.get_attribute("d") or ""
        page.get_by_role("combobox").select_option("0/0")
        expect(curve).not_to_have_attribute("d", before)
        assert page.evaluate("[model.get('layer'), model.get('head')]") == [0, 0]


@pytest.mark.browser
def test_a_head_that_is_not_saved_needs_a_kernel_and_says_so() -> None:
    with show(quest_map()) as page:
        page.locator("[data-key=layer] input").press("ArrowRight")
        expect(page.locator(".quest-waits")).to_have_count(1)
        expect(page.get_by_text("Layer 2, head 2 is not saved here")).to_be_visible()
        page.locator("[data-key=layer] input").press("ArrowLeft")
        expect(page.locator(".quest-waits")).to_have_count(0)


@pytest.mark.browser
def test_the_kernel_answers_for_any_head() -> None:
    widget = quest_map()
    widget.layer = 2
    numbers, cells = Head.measure(widget.queries[2], widget.values[2], 2, BUDGETS, PAGE).packed(widget.rows)
    assert widget.live_cells == cells
    assert widget.live_numbers == numbers | {"layer": 2, "head": 2}
    with show(widget) as page:
        expect(page.locator(".quest-waits")).to_have_count(0)
        seen = page.evaluate(UNPACK, str(widget._esm))
    assert seen["read"][1] == widget.measured(2, 2).read[1].tolist()


@pytest.mark.browser
def test_chinese_says_the_same() -> None:
    widget = quest_map()
    widget.lang = "zh"
    with show(widget, dark=True) as page:
        expect(page.get_by_text("10 个 query 平均：Quest 读 1 页")).to_be_visible()


def test_four_heads_of_the_chapter_stay_small() -> None:
    generator = torch.Generator().manual_seed(1)
    q, k = torch.randn(9, 64, 64, generator=generator), torch.randn(3, 1600, 64, generator=generator)
    widget = QuestMap([sparse.LastQueries(q, k)], [k], recorded=[(0, head) for head in range(4)])
    assert len(widget.shape["positions"]) == 22
    assert widget.shape["positions"][-1] == 1599
    plain = {key: value for key, value in widget.get_state().items() if not isinstance(value, (bytes, Widget))}
    one_more = len(widget.cells) / 4  # of the kernel
    assert len(json.dumps(plain)) + 4 / 3 * (len(widget.cells) + one_more) < 150_000


def test_the_picture_for_where_no_script_runs() -> None:
    data, _ = quest_map()._repr_mimebundle_()
    assert data["image/png"].startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"recorded": [(1, 4)]}, r"recorded=\[\(1, 4\)\]"),
        ({"recorded": []}, r"recorded=\[\]"),
        ({"budgets": (2, 8)}, r"budgets=\(2, 8\)"),
        ({"budgets": (8, 4)}, r"budgets=\(8, 4\)"),
        ({"budgets": tuple(range(4, 13))}, "1 to 8 rising numbers"),
    ],
)
def test_wrong_arguments_are_named(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        QuestMap(*layers(), **({"budgets": BUDGETS, "page": PAGE} | changed))  # type: ignore[arg-type]


@pytest.mark.parametrize(("name", "value"), [("layer", 3), ("layer", -1), ("head", 4), ("budget", 5)])
def test_wrong_settings_are_named(name: str, value: int) -> None:
    with pytest.raises(ValueError, match=f"{name}={value} must be in"):
        setattr(quest_map(), name, value)


def test_layers_and_values_must_be_as_many() -> None:
    queries, values = layers()
    with pytest.raises(ValueError, match="3 layers of queries, but 2 of values"):
        QuestMap(queries, values[:2])
