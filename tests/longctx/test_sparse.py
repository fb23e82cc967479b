"""Selection rules as masks: what holds exactly, on random tensors with 1, 2 and 3 query heads a KV head."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from mini_llm.attention import grouped_attention
from mini_llm.longctx.probe import LayerQKV
from mini_llm.longctx.selection import Quest
from mini_llm.longctx.sparse import (
    SHARED,
    LastQueries,
    bytes_read,
    mean_key_scores,
    page_bounds,
    page_mass,
    sinks_and_window,
    top_indexed,
    top_keys,
    top_pages,
)

Rule = Callable[[LastQueries, int], Tensor]
TOKEN_RULES: dict[str, Rule] = {
    "window": lambda x, budget: sinks_and_window(x, budget),
    "sinks": lambda x, budget: sinks_and_window(x, budget, sinks=2),
    "indexer": lambda x, budget: top_indexed(x, x.scores.mean(0), budget),
    **{f"topk {shared}": lambda x, budget, shared=shared: top_keys(x, budget, shared) for shared in SHARED},
}
PAGE = 4
PAGE_RULES: dict[str, Rule] = {
    "mean": lambda x, budget: top_pages(x, mean_key_scores(x, PAGE), budget, PAGE),
    "oracle": lambda x, budget: top_pages(x, page_mass(x, PAGE), budget, PAGE),
    "unforced": lambda x, budget: top_pages(x, page_bounds(x, PAGE), budget, PAGE, force_own=False),
    "future": lambda x, budget: top_pages(x, page_bounds(x, PAGE, see_future=True), budget, PAGE, force_own=False),
    **{
        f"quest {shared}": lambda x, budget, shared=shared: top_pages(
            x, page_bounds(x, PAGE), budget, PAGE, shared=shared
        )
        for shared in SHARED
    },
}


def random_layer(group: int, S: int = 22, seed: int = 0, dtype: torch.dtype = torch.float32) -> LayerQKV:
    generator = torch.Generator().manual_seed(seed)
    q, k, v = (torch.randn(heads, S, 8, generator=generator, dtype=dtype) for heads in (2 * group, 2, 2))
    return LayerQKV(2 * q, k, v)


@pytest.fixture(params=[1, 2, 3], ids="group {}".format)
def layer(request: pytest.FixtureRequest) -> LayerQKV:
    return random_layer(request.param)


@pytest.fixture
def queries(layer: LayerQKV) -> LastQueries:
    return LastQueries.of(layer, 7)


def test_output_under_a_mask_is_attention_under_that_mask(layer: LayerQKV, queries: LastQueries) -> None:
    mask = top_keys(queries, 5)
    for given in (mask, queries.causal):
        expected = grouped_attention(queries.q[None], layer.k[None], layer.v[None], given)[0]
        torch.testing.assert_close(queries.output(layer.v, given), expected, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(queries.output(layer.v), expected, atol=1e-5, rtol=1e-5)
    difference = queries.output(layer.v, mask) - expected
    assert queries.error(layer.v, mask) == pytest.approx((difference.norm() / expected.norm()).item(), rel=1e-4)


@pytest.mark.parametrize("rule", [*TOKEN_RULES, *PAGE_RULES])
@pytest.mark.parametrize("budget", [22, 24, 100])
def test_a_budget_of_all_keys_is_dense(layer: LayerQKV, queries: LastQueries, rule: str, budget: int) -> None:
    mask = (TOKEN_RULES | PAGE_RULES)[rule](queries, budget)
    assert torch.equal(mask, queries.causal.expand_as(mask))
    assert mask.shape == queries.scores.shape
    assert queries.error(layer.v, mask) < 1e-6
    assert queries.kept_mass(mask) == pytest.approx(1)


@pytest.mark.parametrize("rule", TOKEN_RULES)
@pytest.mark.parametrize("budget", [2, 5, 18])
def test_token_rules_read_causal_keys_and_just_the_budget(queries: LastQueries, rule: str, budget: int) -> None:
    mask = TOKEN_RULES[rule](queries, budget)
    assert not (mask & ~queries.causal).any()
    expected = (queries.position[:, 0] + 1).clamp(max=budget)
    assert torch.equal(mask.sum(-1), expected.expand(len(queries.q), -1))


@pytest.mark.parametrize("rule", PAGE_RULES)
@pytest.mark.parametrize("budget", [4, 11, 16])
def test_page_rules_read_causal_keys_and_whole_pages(queries: LastQueries, rule: str, budget: int) -> None:
    mask = PAGE_RULES[rule](queries, budget)
    assert not (mask & ~queries.causal).any()
    pages = torch.nn.functional.pad(mask, (0, 2)).reshape(*mask.shape[:2], -1, PAGE)
    visible = torch.nn.functional.pad(queries.causal, (0, 2)).reshape(mask.shape[1], -1, PAGE)
    touched = pages.any(-1)
    assert torch.equal(pages, touched[..., None] & visible)  # what is visible of a page is read whole or not at all
    number = touched.sum(-1)
    assert (number <= budget // PAGE).all() if rule == "future" else (number == budget // PAGE).all()
    if rule not in ("unforced", "future"):
        assert mask.gather(-1, queries.position.expand(len(mask), -1, -1)).all()  # each reads at least itself


def test_a_budget_smaller_than_a_page_is_named(queries: LastQueries) -> None:
    with pytest.raises(ValueError, match="budget=3 is smaller than a page of 4"):
        top_pages(queries, page_bounds(queries, PAGE), 3, PAGE)


def test_bounds_are_never_below_a_score_of_their_page(queries: LastQueries) -> None:
    scores = torch.nn.functional.pad(queries.scores, (0, 2), value=-torch.inf) * 8**0.5
    best = scores.reshape(*scores.shape[:2], -1, PAGE).amax(-1)
    bounds = page_bounds(queries, PAGE)
    assert (bounds >= best - 1e-5).all()
    assert torch.equal(bounds == -torch.inf, best == -torch.inf)
    whole = page_bounds(queries, PAGE, see_future=True)
    assert (whole >= bounds - 1e-5).all()
    torch.testing.assert_close(whole[:, -1], bounds[:, -1])  # behind the newest query lies no key, not even a 0


def test_the_bound_by_hand() -> None:
    k = torch.tensor([[[3.0, 1], [-1, -2], [0, 4]]])
    assert page_bounds(LastQueries(torch.tensor([[[1.0, -2]]]), k), page=3).item() == 7
    first = LastQueries(torch.tensor([[[1.0, -2]] * 3]), k)  # each of three queries sees the page up to itself
    assert page_bounds(first, page=3).flatten().tolist() == [1, 7, 7]


def test_bounds_hold_no_key_of_the_future(layer: LayerQKV) -> None:
    other = layer.k.clone()
    other[:, 18:] = 100.0
    for scores_of in (page_bounds, page_mass, mean_key_scores):  # of the queries at 15, 16 and 17
        before, after = (scores_of(LastQueries(layer.q[:, -7:], k), PAGE)[:, :3] for k in (layer.k, other))
        if scores_of is mean_key_scores:  # the mean of a query's own page does, and that page is always read
            before, after = before[..., :4], after[..., :4]
        assert torch.equal(before, after)


def test_pages_of_one_key_unforced_are_exact_top_k(queries: LastQueries) -> None:
    for budget in (1, 6, 15):
        pages = top_pages(queries, page_bounds(queries, 1), budget, page=1, force_own=False)
        assert torch.equal(pages, top_keys(queries, budget))


def test_page_mass_is_the_attention_on_the_page(queries: LastQueries) -> None:
    mass = page_mass(queries, PAGE)
    torch.testing.assert_close(mass.clamp(min=0).sum(-1), torch.ones(mass.shape[:2]))
    torch.testing.assert_close(mass[..., 1], queries.weights[..., 4:8].sum(-1))


def test_no_set_of_its_size_keeps_more_than_top_k(queries: LastQueries) -> None:
    generator = torch.Generator().manual_seed(1)
    before = torch.zeros(queries.scores.shape[:2])
    for budget in (1, 3, 8, 14):
        kept = (queries.weights * top_keys(queries, budget)).sum(-1)
        assert (kept >= before).all()
        others = [top_keys(queries, budget, "group"), sinks_and_window(queries, budget, sinks=1)]
        noise = torch.rand(20, *queries.scores.shape, generator=generator).masked_fill(~queries.causal, -1)
        others += [torch.zeros_like(x, dtype=torch.bool).scatter_(-1, x.topk(budget).indices, True) for x in noise]
        assert all((kept >= (queries.weights * other).sum(-1) - 1e-6).all() for other in others)
        before = kept


@pytest.mark.parametrize("shared", ["group", "layer"])
def test_heads_that_share_read_the_same(queries: LastQueries, shared: str) -> None:
    sets = 2 if shared == "group" else 1
    for mask in (top_keys(queries, 5, shared), PAGE_RULES[f"quest {shared}"](queries, 8)):
        together = mask.reshape(sets, -1, *mask.shape[1:])
        assert torch.equal(together, together[:, :1].expand_as(together))
    with pytest.raises(ValueError, match="shared='row' must be one of head, group, layer"):
        top_keys(queries, 5, "row")


def test_heads_share_by_mean_attention_and_by_greatest_bound() -> None:
    k = torch.tensor([[[1.0], [0], [-1]]])
    queries = LastQueries(torch.tensor([[[3.0]], [[-1.0]], [[-1.0]]]), k)
    assert top_keys(queries, 1, "layer")[0, 0].tolist() == [False, False, True]  # mean 0.38, 0.18, 0.44
    bounds = page_bounds(queries, page=1)
    assert top_pages(queries, bounds, 1, 1, force_own=False, shared="layer")[0, 0].tolist() == [True, False, False]


def test_a_group_of_one_head_shares_with_nobody() -> None:
    queries = LastQueries.of(random_layer(1), 7)
    assert torch.equal(top_keys(queries, 5, "group"), top_keys(queries, 5))
    assert torch.equal(PAGE_RULES["quest group"](queries, 8), PAGE_RULES["quest head"](queries, 8))


@pytest.mark.parametrize("S", [17, 20, 22])
def test_the_choice_is_that_of_quest_while_decoding(S: int) -> None:
    layer = random_layer(3, S)
    slots = Quest(budget=12, page_size=PAGE)(0, layer.q[None, :, -1:], layer.k[None])
    decoded = torch.zeros(6, S, dtype=torch.bool).scatter_(-1, slots, True)
    queries = LastQueries.of(layer, 4)
    assert torch.equal(PAGE_RULES["quest head"](queries, 12)[:, -1], decoded)


def test_bytes_read() -> None:
    queries = LastQueries.of(random_layer(3), 1)  # the newest of 22 tokens: 6 pages of 4
    window = sinks_and_window(queries, 5)
    assert bytes_read(queries, window) == pytest.approx(5 / 22)
    assert bytes_read(queries, window, "bounds", PAGE) == pytest.approx((5 + 6) / 22)
    assert bytes_read(queries, window, "means", PAGE) == pytest.approx((5 + 3) / 22)
    assert bytes_read(queries, window, "keys") == pytest.approx(1 / 2 + 5 / 44)
    mask = torch.zeros(6, 1, 22, dtype=torch.bool)
    mask[0, 0, 0] = mask[1, 0, 1] = mask[2, 0, 1] = mask[3:, 0, 2] = True  # two keys in a group, one in the other
    assert bytes_read(queries, mask) == pytest.approx((2 + 1) / 2 / 22)
    assert bytes_read(queries, mask, union=False) == pytest.approx(1 / 22)
    with pytest.raises(ValueError, match="scorer='page' must be one of none, bounds, means, keys"):
        bytes_read(queries, mask, "page")
