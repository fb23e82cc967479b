"""Recordings of a reading: against caches that really evict, and as they are stored."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import Tensor

from mini_llm import BoundedKVCache, KVCache, Transformer
from mini_llm.experiments import rerun, results
from mini_llm.experiments.replay import LAYERS, LENGTH
from mini_llm.longctx.eviction import sinks_and_window
from mini_llm.longctx.perplexity import next_token_nll
from mini_llm.longctx.policies import Score, Seen, best, heavy_hitters, last_query, small_norm
from mini_llm.longctx.replay import LEVELS, STEP, Recording, as_numbers, first_then_age, from_numbers, record

T, BUDGET, LAST = 48, 12, [STEP - 1, 2 * STEP - 1, 3 * STEP - 1]
IDS = torch.randperm(97, generator=torch.Generator().manual_seed(3))[: T + 1]  # no token twice: norms do not tie
TINY_LAYERS = range(3)


def by_step(nll: Tensor) -> Tensor:
    return nll.view(-1, STEP).mean(1)


@pytest.mark.parametrize("sinks", [0, 1, 4])
def test_sinks_and_window_are_the_ring(tiny: Transformer, sinks: int) -> None:
    got = record(tiny, IDS, first_then_age(sinks), BUDGET, TINY_LAYERS)
    ring = next_token_nll(tiny, IDS, BoundedKVCache(3, BUDGET, sinks))
    torch.testing.assert_close(got.nll, by_step(ring), atol=1e-4, rtol=1e-4)
    for step, last in enumerate(LAST):  # its last query reads what is held and itself
        held = [*sinks_and_window(last, BUDGET, sinks).tolist(), last]
        for heads in got.heads[:, step]:
            assert heads.nonzero()[:, 0].tolist() == held
            assert set(heads[held].tolist()) == {2}


@pytest.mark.parametrize("score", [heavy_hitters, last_query, small_norm])
def test_policies_are_a_cache_whose_slots_go_one_by_one(tiny: Transformer, score: Score) -> None:
    cache, losses = KVCache(3), []
    drawn, heads = torch.zeros(3, T, T), torch.zeros(3, T, T, dtype=torch.int64)
    totals = torch.zeros(3, 2, T)
    for t in range(T):
        rows: list[Tensor] = []
        logits = tiny(IDS[None, None, t], cache, observe=lambda _, weights, to=rows: to.append(weights[0]))[0, 0]
        losses.append(torch.nn.functional.cross_entropy(logits, IDS[t + 1]))
        for layer, weights in enumerate(rows):
            places = cache.positions(layer)[0].expand(2, -1)  # [n_kv, S]
            by_kv_head = weights.view(2, -1, places.shape[1]).sum(1)
            totals[layer].scatter_add_(1, places, by_kv_head)
            drawn[layer, t].scatter_add_(0, places.flatten(), by_kv_head.flatten() / len(weights))
            heads[layer, t].scatter_add_(0, places.flatten(), torch.ones(places.numel(), dtype=torch.int64))
            seen = Seen(cache.k[layer][0], totals[layer].gather(1, places), weights)
            cache.keep(best(score(seen, BUDGET), BUDGET).nonzero()[:, 1].view(2, -1), layer)
    got = record(tiny, IDS, score, BUDGET, TINY_LAYERS)
    torch.testing.assert_close(got.nll, by_step(torch.stack(losses)), atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(got.mass, drawn.view(3, -1, STEP, T).mean(2), atol=1e-5, rtol=1e-4)
    assert torch.equal(got.heads, heads[:, LAST])


def test_a_budget_for_all_evicts_nothing(tiny: Transformer) -> None:
    got = record(tiny, IDS, first_then_age(0), T, [2])
    torch.testing.assert_close(got.nll, by_step(next_token_nll(tiny, IDS, KVCache(3))), atol=1e-4, rtol=1e-4)
    assert [int((heads == 2).sum()) for heads in got.heads[0]] == [last + 1 for last in LAST]


def test_what_is_no_whole_number_of_steps_is_told(tiny: Transformer) -> None:
    with pytest.raises(ValueError, match=r"40 ids have 39 with a successor, .* steps of 16"):
        record(tiny, IDS[:40], first_then_age(0), BUDGET, [0])


def test_a_cell_is_its_kv_heads_and_its_level() -> None:
    mass = torch.tensor([[[0.0, 0.0029, 0.003, 0.05, 0.3, 1.0, 0.7]]])
    heads = torch.tensor([[[1, 2, 3, 3, 3, 1, 0]]])
    assert Recording(torch.zeros(1), mass, heads).cells().tolist() == [[[16, 32, 49, 51, 53, 21, 0]]]


@pytest.mark.parametrize("shape", [(1, 1, 3), (2, 3, 64)])
def test_numbers_are_the_cells_again(shape: tuple[int, ...]) -> None:
    cells = torch.randint(256, shape, generator=torch.Generator().manual_seed(1)).to(torch.uint8)
    numbers = [float(f"{number:.6g}") for number in as_numbers(cells)]  # as a store rounds them
    assert from_numbers(numbers) == cells.numpy().tobytes()
    with pytest.raises(ValueError, match="2 numbers are no deflated cells"):
        from_numbers([1.0, 2.0])


@pytest.mark.model
def test_stored_cells_come_out_again() -> None:
    """What is held is the same; a mass on the edge of a level may fall on its other side on another machine."""
    stored, again = (
        np.frombuffer(from_numbers(row["deflated"]), np.uint8).reshape(len(LAYERS), LENGTH // STEP, LENGTH)
        for row in (results("replay")["sinks.1/32/cells"], rerun("replay", "sinks.1/32/cells"))
    )
    assert np.array_equal(stored >> 4, again >> 4)
    levels = np.abs((stored & 15).astype(int) - (again & 15))
    assert levels.max() <= 1
    assert (levels > 0).mean() < 1e-3
    assert (stored & 15).max() <= len(LEVELS)


@pytest.mark.model
def test_the_story_of_the_recording() -> None:
    """Without token 0 the loss jumps, with it it does not; what H2O and TOVA choose includes it where it draws most."""
    rows = results("replay")
    loss = {row: np.array(rows[f"{row}/steps"]["nll"]) for row in (f"full/{LENGTH}", "sinks.0/64", "sinks.1/64")}
    above = {row: (loss[row] - loss[f"full/{LENGTH}"])[4:].mean() for row in ("sinks.0/64", "sinks.1/64")}
    assert above["sinks.0/64"] > 0.5
    assert above["sinks.1/64"] < 0.3
    for row in ("h2o/64", "tova/64"):
        cells = np.frombuffer(from_numbers(rows[f"{row}/cells"]["deflated"]), np.uint8)
        assert (cells.reshape(len(LAYERS), -1, LENGTH)[LAYERS.index(14), :, 0] >> 4 == 3).all()
