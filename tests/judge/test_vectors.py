"""The references on what was worked out without them: published values, and what must hold of each method."""

import itertools
import math

import pytest
import torch
from torch import Tensor

from practice.grader.catalogue import find_card
from practice.grader.verify.exercise import load_exercise

GIB = 2**30
NUM_HEADS, NUM_KV_HEADS, S, D = 6, 2, 37, 16


def call(exercise: str, *arguments: object) -> object:
    return load_exercise(find_card(exercise)).reference(*arguments)


def tensor(exercise: str, *arguments: object) -> Tensor:
    result = call(exercise, *arguments)
    assert isinstance(result, Tensor)
    return result


def drawn(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def group_scores(q: Tensor, k: Tensor) -> Tensor:
    """q ``[n_heads, D]``, k ``[n_kv, S, D]`` -> unscaled scores ``[n_heads, S]``."""
    return (q[:, None] * k.repeat_interleave(len(q) // len(k), dim=0)).sum(-1)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ((80, 8, 128, 4096, 2), 1_342_177_280),  # Llama 2 70B, the 10.7 GB that is 1.34 GB
        ((28, 4, 128, 3072, 2), 176_160_768),  # Qwen2.5-7B
        ((28, 4, 128, 131_072, 2), 7_516_192_768),  # the same at 128K: 7.00 GiB
        ((80, 8, 128, 131_072, 2), 42_949_672_960),  # Llama 3 70B: 40 GiB
        ((80, 64, 128, 4096, 2), 8 * 1_342_177_280),  # if every query head had its own: the famous mistake
    ],
)
def test_kv_bytes_of_published_models(shape: tuple[int, ...], expected: int) -> None:
    assert call("kv_bytes", *shape) == expected


@pytest.mark.parametrize(
    ("kv_bytes_per_token", "seq_len", "requests"),
    [
        (57_344, 4096, 73),
        (57_344, 32_768, 9),
        (57_344, 131_072, 2),
        (28_672, 4096, 146),  # fp8
        (28_672, 32_768, 18),
        (28_672, 131_072, 4),
    ],
)
def test_requests_of_qwen_in_16_gib(kv_bytes_per_token: int, seq_len: int, requests: int) -> None:
    assert call("max_concurrency", 16 * GIB, kv_bytes_per_token, seq_len) == requests


@pytest.mark.parametrize(
    ("params", "shape", "tokens"), [(7.6e9, (28, 28, 128), 37_867), (70.6e9, (80, 64, 128), 53_864)]
)
def test_crossover_of_the_handbook(params: float, shape: tuple[int, ...], tokens: int) -> None:
    crossover = call("crossover", params, *shape)
    assert isinstance(crossover, float)
    assert round(crossover) == tokens


def test_streaming_keeps_two_sinks_and_the_newest_four() -> None:
    k = drawn(1, 1, 12, 4)
    assert call("evict_sinks", k, k, torch.arange(12), 6, 2)[2].tolist() == [0, 1, 8, 9, 10, 11]  # type: ignore[index]


def test_quest_bound_of_three_keys() -> None:
    q, k = torch.tensor([[1.0, -2.0]]), torch.tensor([[[3.0, 1.0], [-1.0, -2.0], [0.0, 4.0]]])
    assert tensor("quest_bounds", q, k, 3).tolist() == [[7.0]]
    assert group_scores(q, k).tolist() == [[1.0, 3.0, -8.0]]
    low, high = k.amin(1), k.amax(1)
    assert (low.tolist(), high.tolist()) == ([[-1.0, -2.0]], [[3.0, 4.0]])


def test_quest_bounds_are_bounds_and_pages_of_one_key_are_exact() -> None:
    q, k = drawn(NUM_HEADS, D), drawn(NUM_KV_HEADS, S, D, seed=1)
    scores = group_scores(q, k)
    for page in (1, 4, 16, S, S + 5):
        bounds = tensor("quest_bounds", q, k, page)
        best = torch.stack([part.amax(1) for part in scores.split(page, dim=1)], dim=1)
        assert (bounds >= best - 1e-4).all()
        low, high = (torch.stack([getattr(part, ends)(1) for part in k.split(page, 1)], 1) for ends in ("amin", "amax"))
        low, high = low.repeat_interleave(3, dim=0), high.repeat_interleave(3, dim=0)
        signs = (q.clamp(min=0)[:, None] * high + q.clamp(max=0)[:, None] * low).sum(-1)
        torch.testing.assert_close(bounds, signs, rtol=0, atol=1e-4)
    torch.testing.assert_close(tensor("quest_bounds", q, k, 1), scores, rtol=0, atol=1e-4)


def test_a_budget_for_everything_is_dense_attention() -> None:
    q, k, v = drawn(NUM_HEADS, D), drawn(NUM_KV_HEADS, S, D, seed=1), drawn(NUM_KV_HEADS, S, D, seed=2)
    pages = k.split(4, dim=1)
    low, high = torch.stack([part.amin(1) for part in pages], 1), torch.stack([part.amax(1) for part in pages], 1)
    dense = tensor("gqa_attention", q[None, :, None], k[None], v[None], torch.ones(1, S, dtype=torch.bool))[0, :, 0]
    torch.testing.assert_close(tensor("quest_attention", q, k, v, low, high, S, 4), dense)
    assert tensor("quest_select", q, k, S, 4).all()
    assert tensor("topk_mask", group_scores(q, k), S).all()
    attn = drawn(NUM_KV_HEADS, 3, 5, S).softmax(-1)
    everything = torch.arange(S).expand(NUM_KV_HEADS, S)
    assert torch.equal(tensor("snapkv_keep", attn, S, 3), everything)
    assert torch.equal(tensor("h2o_keep", attn[:, 0], S, 4), everything)


def test_chunks_are_the_whole_and_the_future_moves_nothing() -> None:
    q, k, v = drawn(2, NUM_HEADS, S, D), drawn(2, NUM_KV_HEADS, S, D, seed=1), drawn(2, NUM_KV_HEADS, S, D, seed=2)
    whole = tensor("gqa_attention", q, k, v, torch.ones(S, S, dtype=torch.bool).tril())
    cached_k, cached_v, outs = k[:, :, :0], v[:, :, :0], []
    for q_new, k_new, v_new in zip(*(each.split(8, dim=2) for each in (q, k, v)), strict=True):
        out, cached_k, cached_v = call("chunked_append", q_new, k_new, v_new, cached_k, cached_v)  # type: ignore[misc]
        outs.append(out)
    torch.testing.assert_close(torch.cat(outs, dim=2), whole)
    assert torch.equal(cached_k, k)
    future = k.clone()
    future[:, :, 20:] += 9
    moved = tensor("gqa_attention", q, future, v, torch.ones(S, S, dtype=torch.bool).tril())
    torch.testing.assert_close(moved[:, :, :20], whole[:, :, :20], rtol=0, atol=0)


def test_streaming_token_by_token_is_one_mask() -> None:
    budget, sinks = 6, 2
    k, positions = torch.empty(1, 1, 0, 1), torch.empty(0, dtype=torch.int64)
    for query in range(20):
        seen = {*positions.tolist(), query}
        assert seen == {key for key in range(query + 1) if key < sinks or key >= query - (budget - sinks)}
        k, positions = torch.cat([k, torch.zeros(1, 1, 1, 1)], dim=2), torch.cat([positions, torch.tensor([query])])
        k, _, positions = call("evict_sinks", k, k, positions, budget, sinks)  # type: ignore[misc]


def test_rotating_again_is_rotating_elsewhere_at_once() -> None:
    x, old, base = drawn(2, 3, 6, D), torch.tensor([0, 1, 8, 9, 10, 11]), 10_000.0
    new = torch.arange(6)
    rotated = tensor("rope", x, old, base)
    torch.testing.assert_close(tensor("rerotate", rotated, old, new, base), tensor("rope", x, new, base))


def test_without_sinks_positions_in_the_text_and_in_the_cache_are_the_same() -> None:
    q, k, base, kept = drawn(1, 1, 1, D), drawn(1, 1, 6, D, seed=1), 10_000.0, torch.arange(6, 12)
    in_the_text = tensor("rope", q, torch.tensor([12]), base) @ tensor("rope", k, kept, base).mT
    moved = tensor("rerotate", tensor("rope", k, kept, base), kept, torch.arange(6), base)
    in_the_cache = tensor("rope", q, torch.tensor([6]), base) @ moved.mT
    torch.testing.assert_close(in_the_cache, in_the_text)
    with_sinks = torch.tensor([0, 1, 8, 9, 10, 11])
    scores = [
        tensor("rope", q, torch.tensor([at]), base) @ tensor("rope", k, positions, base).mT
        for at, positions in ((12, with_sinks), (6, torch.arange(6)))
    ]
    same = torch.isclose(scores[0], scores[1], atol=1e-4).flatten().tolist()
    assert same == [False, False, True, True, True, True]


def test_no_selection_of_the_same_size_holds_more_mass() -> None:
    generator = torch.Generator().manual_seed(3)
    scores = drawn(8, S)
    weights = scores.softmax(-1)
    masses = [(weights * tensor("topk_mask", scores, budget)).sum(-1) for budget in range(S + 1)]
    assert all((more >= less).all() for less, more in itertools.pairwise(masses))
    for _ in range(20):
        others = torch.rand(8, S, generator=generator).argsort(-1)[:, :9]
        assert (masses[9] >= weights.gather(1, others).sum(-1)).all()


def test_what_is_left_out_is_what_the_output_misses() -> None:
    """o_sel - o = (1 - m) (o_sel - o_rest), with m the kept mass."""
    q, k, v = drawn(1, 1, 4, D), drawn(1, 1, S, D, seed=1), drawn(1, 1, S, D, seed=2)
    scores = (q @ k.mT * D**-0.5)[0, 0]
    kept = tensor("topk_mask", scores, 9)
    everything = torch.ones_like(kept)
    whole, chosen, rest = (tensor("gqa_attention", q, k, v, mask)[0, 0] for mask in (everything, kept, ~kept))
    mass = (scores.softmax(-1) * kept).sum(-1, keepdim=True)
    torch.testing.assert_close(chosen - whole, (1 - mass) * (chosen - rest), rtol=0, atol=1e-5)


@pytest.mark.parametrize("budget", [5, 8, 30])
def test_kept_sets_have_no_duplicates_and_hold_what_is_protected(budget: int) -> None:
    attn = drawn(NUM_KV_HEADS, 3, 4, S).softmax(-1)
    for kept, newest in (
        (tensor("h2o_keep", attn[:, 0], budget, 3), 3),
        (tensor("snapkv_keep", attn, budget, 3), 4),
    ):
        assert kept.shape == (NUM_KV_HEADS, budget)
        assert (kept.diff() > 0).all()
        assert kept[:, -newest:].tolist() == [list(range(S - newest, S))] * NUM_KV_HEADS


def test_costs_grow_as_they_should() -> None:
    per_token = call("kv_bytes", 30, 3, 64, 1, 2)
    assert [call("kv_bytes", 30, 3, 64, length, 2) for length in (0, 10, 1000)] == [0, 10 * per_token, 1000 * per_token]
    step = [call("tpot_floor", 15e9, 57_344, 32_768, batch, 3.35e12) for batch in (0, 1, 2, 3)]
    assert all(isinstance(seconds, float) for seconds in step)
    assert math.isclose(step[0], 15e9 / 3.35e12)
    assert math.isclose(step[3] - step[2], step[1] - step[0])  # affine, not proportional
