"""Policies: what they keep, against references and against caches that really evict, and the bytes they hold."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mini_llm import BoundedKVCache, KVCache, Transformer, forward_with_mask
from mini_llm.longctx.eviction import sinks_and_window
from mini_llm.longctx.policies import (
    SINKS,
    Evicting,
    Policy,
    Seen,
    best,
    heavy_hitters,
    policy,
    pyramid,
    watched_prefill,
    window_votes,
)
from practice.grader.catalogue import find_card
from practice.grader.verify.exercise import load_exercise

PROMPT, NEW, WINDOW = 24, 16, 3
STREAMING = ("window", "sinks", "h2o", "tova")
ONCE = ("snapkv", "pyramid", "knorm", "random")
IDS = torch.randint(97, (PROMPT + NEW,), generator=torch.Generator().manual_seed(5))
LAYERS, KV_HEADS, HEADS, HEAD_DIM = 3, 2, 6, 16


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, atol=1e-4 * expected.norm().item(), rtol=0)


def make(name: str) -> Policy:
    return policy(name, torch.Generator().manual_seed(0))


def prefilled(model: Transformer, chunk: int = 256) -> tuple[KVCache, list[Seen]]:
    cache = KVCache(LAYERS)
    return cache, watched_prefill(model, IDS[:PROMPT], cache, WINDOW, chunk)[0]


class Run:
    """One masked pass of the new tokens under a policy; ``masks[layer]`` is what its queries saw."""

    def __init__(self, model: Transformer, name: str, budget: int) -> None:
        cache, seen = prefilled(model)
        self.evicting, self.masks = Evicting(make(name), seen, budget), list[Tensor]()

        def select(layer: int, q: Tensor, k: Tensor) -> Tensor:
            self.masks.append(self.evicting(layer, q, k))
            return self.masks[-1]

        self.logits, _ = forward_with_mask(model, IDS[PROMPT:], torch.arange(PROMPT, PROMPT + NEW), cache, select)


@pytest.mark.parametrize("name", STREAMING + ONCE)
@pytest.mark.parametrize("budget", [PROMPT + NEW, 1000])
def test_a_budget_for_everything_is_full_attention(tiny: Transformer, name: str, budget: int) -> None:
    run = Run(tiny, name, budget)
    close(run.logits, tiny(IDS[None])[0, PROMPT:])
    full = sum(PROMPT + t + 1 for t in range(NEW)) / NEW
    assert run.evicting.kv_bytes(HEAD_DIM) == LAYERS * KV_HEADS * full * 2 * HEAD_DIM * 4


@pytest.mark.parametrize("name", STREAMING + ONCE)
@pytest.mark.parametrize("budget", [5, 8, 17])
def test_every_kept_set_is_causal_and_of_the_right_size(tiny: Transformer, name: str, budget: int) -> None:
    run = Run(tiny, name, budget)
    for layer, mask in enumerate(run.masks):
        size = run.evicting.budgets[layer]
        causal = torch.ones(NEW, PROMPT + NEW, dtype=torch.bool).tril(PROMPT)
        assert not (mask & ~causal).any()
        assert torch.equal(mask[::3], mask[2::3])  # the heads of a KV head read the same slots
        own = mask[:, range(NEW), range(PROMPT, PROMPT + NEW)]
        assert own.all()
        grows = torch.zeros(NEW) if name in STREAMING else torch.arange(NEW)
        assert (mask.sum(-1) == size + 1 + grows).all()  # and the query's own
        for t in range(1, NEW):  # what was evicted never comes back
            assert not (mask[:, t, : PROMPT + t] & ~mask[:, t - 1, : PROMPT + t]).any()


@pytest.mark.parametrize("name", ["window", "sinks"])
@pytest.mark.parametrize("budget", [5, 9, PROMPT, PROMPT + 6])
def test_window_and_sinks_are_the_streaming_mask(tiny: Transformer, name: str, budget: int) -> None:
    query, key = torch.arange(PROMPT, PROMPT + NEW)[:, None], torch.arange(PROMPT + NEW)
    sinks = SINKS if name == "sinks" else 0
    expected = (key <= query) & ((key < sinks) | (key >= query - (budget - sinks)))
    for mask in Run(tiny, name, budget).masks:
        assert torch.equal(mask, expected.expand_as(mask))


def test_sinks_are_a_bounded_cache_fed_token_by_token(tiny: Transformer) -> None:
    cache = BoundedKVCache(LAYERS, PROMPT, SINKS)
    tiny(IDS[None, :PROMPT], cache)
    steps = [tiny(token[None, None], cache)[0] for token in IDS[PROMPT:]]
    close(Run(tiny, "sinks", PROMPT).logits, torch.cat(steps))
    kept = sinks_and_window(PROMPT + NEW, PROMPT, SINKS)
    assert cache.positions()[0].tolist() == kept.tolist()


@pytest.mark.parametrize("name", STREAMING)
@pytest.mark.parametrize("budget", [6, 15])
def test_one_masked_pass_is_what_steps_that_free_slots_give(tiny: Transformer, name: str, budget: int) -> None:
    """The same policy over a cache whose K and V really go: slots are kept by index, totals by position."""
    cache, seen = prefilled(tiny)
    totals = [torch.cat((layer.totals, torch.zeros(KV_HEADS, NEW)), dim=1) for layer in seen]
    score = make(name).score
    for layer, known in enumerate(seen):
        cache.keep(best(score(known, budget), budget).nonzero()[:, 1].view(KV_HEADS, -1), layer)
    steps = []
    for t in range(NEW):
        weights: list[Tensor] = []
        steps.append(tiny(IDS[None, None, PROMPT + t], cache, observe=lambda _, w, to=weights: to.append(w[0])))
        for layer, rows in enumerate(weights):
            places = cache.positions(layer)[0].expand(KV_HEADS, -1)  # [n_kv, budget + 1]
            totals[layer].scatter_add_(1, places, rows.view(KV_HEADS, -1, rows.shape[2]).sum(1))
            known = Seen(cache.k[layer][0], totals[layer].gather(1, places), rows)
            kept = best(score(known, budget), budget).nonzero()[:, 1].view(KV_HEADS, -1)
            cache.keep(kept, layer)
    run = Run(tiny, name, budget)
    close(run.logits, torch.cat(steps)[:, 0])
    held = sum(k.numel() + v.numel() for k, v in zip(cache.k, cache.v, strict=True)) * 4
    assert run.evicting.kv_bytes(HEAD_DIM) == held == LAYERS * KV_HEADS * budget * 2 * HEAD_DIM * 4


def test_bytes_of_a_policy_that_evicts_once_grow(tiny: Transformer) -> None:
    by_hand = sum(LAYERS * KV_HEADS * (8 + t + 1) * 2 * HEAD_DIM * 4 for t in range(NEW)) / NEW
    for name in ("snapkv", "knorm", "random", "pyramid"):
        assert Run(tiny, name, 8).evicting.kv_bytes(HEAD_DIM) == pytest.approx(by_hand, rel=1e-12), name


def test_protected_keys_stay() -> None:
    seen = random_seen(20)
    assert best(make("sinks").score(seen, 7), 7)[:, [0, 1, 2, 3, 17, 18, 19]].all()
    assert best(heavy_hitters(seen, 7), 7)[:, -3:].all()
    assert best(window_votes(seen, 7), 7)[:, -WINDOW:].all()


def random_seen(S: int, W: int = WINDOW) -> Seen:
    generator = torch.Generator().manual_seed(2)
    attn = torch.randn(HEADS, S, S, generator=generator)
    attn = attn.masked_fill(~torch.ones(S, S, dtype=torch.bool).tril(), -torch.inf).softmax(-1)
    totals = attn.sum(1).view(KV_HEADS, -1, S).sum(1)
    return Seen(torch.randn(KV_HEADS, S, HEAD_DIM, generator=generator), totals, attn[:, -W:])


@pytest.mark.parametrize("budget", [4, 7, 12])
def test_h2o_and_snapkv_keep_what_the_exercises_references_keep(tiny: Transformer, budget: int) -> None:
    attn: list[Tensor] = []
    tiny(IDS[None, :PROMPT], observe=lambda _, weights: attn.append(weights[0]))
    h2o, snapkv = (load_exercise(find_card(name)).reference for name in ("h2o_keep", "snapkv_keep"))
    for known, rows in zip(prefilled(tiny)[1], attn, strict=True):
        groups = rows.view(KV_HEADS, -1, PROMPT, PROMPT)
        kept = best(heavy_hitters(known, budget), budget).nonzero()[:, 1].view(KV_HEADS, -1)
        assert torch.equal(kept, h2o(groups.sum(1), budget, budget // 2))
        kept = best(window_votes(known, budget), budget).nonzero()[:, 1].view(KV_HEADS, -1)
        assert torch.equal(kept, snapkv(groups[:, :, -WINDOW:], budget, 5))


def test_tova_keeps_one_set_a_layer_by_the_mean_of_the_heads(tiny: Transformer) -> None:
    seen = random_seen(12)
    kept = best(make("tova").score(seen, 4), 4)
    assert torch.equal(kept[0], kept[1])
    assert set(kept[0].nonzero().flatten().tolist()) == set(seen.last[:, -1].mean(0).topk(4).indices.tolist())


def test_the_least_norms_stay() -> None:
    seen = random_seen(12)
    kept = best(make("knorm").score(seen, 4), 4)
    for head, norms in enumerate(seen.k.norm(dim=-1)):
        assert norms[kept[head]].max() < norms[~kept[head]].min()


@pytest.mark.parametrize("chunk", [1, 2, 7])
def test_what_was_seen_does_not_depend_on_the_chunks(tiny: Transformer, chunk: int) -> None:
    for whole, pieces in zip(prefilled(tiny)[1], prefilled(tiny, chunk)[1], strict=True):
        assert whole.last.shape == (HEADS, WINDOW, PROMPT)
        close(whole.totals.sum(1), torch.full((KV_HEADS,), 3.0 * PROMPT))  # each query of a group hands out 1
        close(pieces.totals, whole.totals)
        close(pieces.last, whole.last)


@pytest.mark.parametrize(
    ("budget", "layers", "window", "keys"), [(64, 30, 32, 1024), (512, 30, 32, 1024), (8, 3, 3, 24), (100, 7, 10, 120)]
)
def test_the_pyramid_falls_and_keeps_the_total(budget: int, layers: int, window: int, keys: int) -> None:
    budgets = pyramid(budget, layers, window, keys)
    assert sum(budgets) == layers * budget
    assert budgets == sorted(budgets, reverse=True)
    assert window <= budgets[-1] < budgets[0] <= keys


def test_the_pyramid_by_hand() -> None:
    assert pyramid(52, 3, 32, 1024) == [32 + 39, 52, 32 + 1]  # 20 shared: from 2 x 20 - 1 down to 1
    assert pyramid(30, 3, 3, 30) == [30, 30, 30]
    assert pyramid(3, 3, 3, 30) == [3, 3, 3]
    assert pyramid(100, 7, 10, 101)[0] == 101


def test_errors_name_what_is_wrong(tiny: Transformer) -> None:
    with pytest.raises(ValueError, match="budget=0"):
        Evicting(make("h2o"), prefilled(tiny)[1], 0)
    with pytest.raises(KeyError, match="random"):
        policy("random")
