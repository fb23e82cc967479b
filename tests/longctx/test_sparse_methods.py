"""The error chain, the lightning indexer and NSA's branches on small random tensors and models."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mini_llm import KVCache, Transformer
from mini_llm.longctx.chain import ErrorChain, split_output
from mini_llm.longctx.indexer import LightningIndexer, capture_inputs, distill
from mini_llm.longctx.native import (
    NSA,
    block_scores,
    branches,
    compress,
    compressed_weights,
    fitted_gates,
    gated,
    selected_mask,
)
from mini_llm.longctx.perplexity import next_token_nll
from mini_llm.longctx.probe import LayerQKV, capture_qkv
from mini_llm.longctx.sparse import LastQueries, sinks_and_window, top_keys

IDS = torch.arange(41) * 7 % 97


def random_layer(S: int, dtype: torch.dtype = torch.float32) -> LayerQKV:
    generator = torch.Generator().manual_seed(S)
    q, k, v = (torch.randn(heads, S, 8, generator=generator, dtype=dtype) for heads in (6, 2, 2))
    return LayerQKV(2 * q, k, v)


def generator() -> torch.Generator:
    return torch.Generator().manual_seed(0)


def test_a_selection_changes_the_output_by_lost_mass_times_the_distance_to_the_rest() -> None:
    layer = random_layer(30, torch.float64)
    queries, v = LastQueries.of(layer, 9), layer.v
    for mask in (sinks_and_window(queries, 7, sinks=2), top_keys(queries, 3), top_keys(queries, 25)):
        kept, selected, rest = split_output(queries, v, mask)
        assert (selected - queries.output(v) - (1 - kept) * (selected - rest)).abs().max() < 1e-14
    kept, selected, rest = split_output(queries, v, queries.causal.expand(6, -1, -1))
    torch.testing.assert_close(kept, torch.ones_like(kept))
    assert torch.equal(rest, torch.zeros_like(rest))


def test_the_chain_is_zero_when_everything_is_read(tiny: Transformer) -> None:
    chain = ErrorChain(tiny, IDS, T=12)
    torch.testing.assert_close(chain.logits, tiny(IDS[None, :-1])[0, -12:], atol=1e-4, rtol=1e-4)
    links = chain.follow(lambda layer, queries: top_keys(queries, 40))
    for name in ("lost_mass", "output", "drift", "logits", "kl"):
        assert links[name] == pytest.approx(0, abs=1e-4)
    expected = next_token_nll(tiny, IDS, KVCache(3))[-12:].mean().item()
    assert links["nll"] == pytest.approx(expected, abs=1e-4)
    assert links["nll_full"] == pytest.approx(expected, abs=1e-4)
    assert links["same_top"] == 1


def test_every_link_grows_with_what_is_lost(tiny: Transformer) -> None:
    chain = ErrorChain(tiny, IDS, T=12)
    few, many = (chain.follow(lambda layer, queries, budget=budget: top_keys(queries, budget)) for budget in (1, 4))
    for name in ("lost_mass", "output", "drift", "logits", "kl"):
        assert few[name] > many[name] > 0
    assert few["drift"] > few["output"]
    assert chain.follow(lambda layer, queries: top_keys(queries, 1)) == few  # a pass leaves the cache as it was


def test_indexer_scores_are_weighted_relus_and_causal() -> None:
    indexer = LightningIndexer(10, heads=3, dim=8, base=1e4, generator=generator())
    x = torch.randn(9, 10, generator=generator())
    with torch.no_grad():
        scores, last = indexer(x), indexer(x, T=4)
        torch.testing.assert_close(last, scores[-4:])
        assert torch.equal(scores == -torch.inf, ~torch.ones(9, 9, dtype=torch.bool).tril())
        other = x.clone()
        other[6:] += 1
        torch.testing.assert_close(indexer(other)[:6], scores[:6])
        x = torch.nn.functional.rms_norm(x, (10,))  # by hand, at the first token, where nothing is turned
        q, k, w = indexer.q_proj(x[0]).view(3, 8), indexer.k_norm(indexer.k_proj(x[0])), indexer.w_proj(x[0])
        torch.testing.assert_close(scores[0, 0], (w * (q @ k).relu()).sum() * 24**-0.5)
    with pytest.raises(ValueError, match="dim=6 must be a multiple of 4"):
        LightningIndexer(10, 3, 6, 1e4, generator())


def test_an_indexer_learns_where_another_one_looks() -> None:
    teacher, pupil = (LightningIndexer(10, 3, 8, 1e4, torch.Generator().manual_seed(seed)) for seed in (1, 2))
    x = torch.randn(40, 10, generator=generator())
    with torch.no_grad():
        target = (8 * teacher(x, 20)).softmax(-1)
    losses = distill(pupil, ((x, target) for _ in range(1000)), steps=60, rate=1e-2)
    assert len(losses) == 60
    assert losses[-1] < losses[0] / 2
    again = LightningIndexer(10, 3, 8, 1e4, torch.Generator().manual_seed(2))
    assert distill(again, ((x, target) for _ in range(3)), steps=60, rate=1e-2) == pytest.approx(losses[:3])


def test_captured_inputs_are_what_attention_projects(tiny: Transformer) -> None:
    inputs, layers = capture_inputs(tiny, IDS)
    for x, found, expected, layer in zip(inputs, layers, capture_qkv(tiny, IDS), tiny.layers, strict=True):
        assert torch.equal(found.q, expected.q)
        values = layer.self_attn.v_proj(x).view(41, 2, -1).transpose(0, 1)
        torch.testing.assert_close(values, found.v, atol=1e-5, rtol=1e-5)
        assert not layer.self_attn._forward_pre_hooks


def test_the_published_nsa_reads_a_twelfth_of_64k() -> None:
    assert NSA().tokens_read(65_536) == 4_094 + 1_024 + 512
    assert NSA().read_ratio(65_536) == pytest.approx(11.64, abs=0.005)


SMALL = NSA(length=4, stride=2, block=8, count=3, window=6)


def nsa_queries(S: int = 43) -> tuple[LastQueries, Tensor]:
    layer = random_layer(S)
    return LastQueries.of(layer, 10), layer.v


def test_compressed_blocks_are_means_of_the_past() -> None:
    queries, _ = nsa_queries()
    means = compress(queries.k, SMALL)
    assert means.shape == (2, 20, 8)
    torch.testing.assert_close(means[:, 5], queries.k[:, 10:14].mean(1))
    weights = compressed_weights(queries, SMALL)
    torch.testing.assert_close(weights.sum(-1), torch.ones(6, 10))
    last = torch.arange(20) * 2 + 3
    assert torch.equal(weights > 0, (last <= queries.position).expand(6, -1, -1))
    early = LastQueries(queries.q, queries.k[:, :10])  # queries at 0, 1, 2 have no whole block behind them
    assert torch.equal(compressed_weights(early, SMALL).sum(-1)[:, :4] > 0, torch.tensor([[False] * 3 + [True]] * 6))


def test_blocks_are_scored_by_the_compressed_blocks_they_overlap() -> None:
    queries, _ = nsa_queries()
    grouped = compressed_weights(queries, SMALL).reshape(2, 3, 10, 20).sum(1)
    expected = (grouped[..., 3:8] * torch.tensor([1.0, 2, 2, 2, 1])).sum(-1)  # block 1: tokens 8 to 15
    scores = block_scores(queries, SMALL)
    torch.testing.assert_close(scores[..., 1], expected)
    assert torch.equal(scores == -torch.inf, (torch.arange(6) * 8 > queries.position).expand(2, -1, -1))


def test_selected_blocks_hold_the_first_and_the_newest_two() -> None:
    queries, _ = nsa_queries()
    mask = selected_mask(queries, SMALL)
    assert not (mask & ~queries.causal).any()
    assert torch.equal(mask[:3], mask[:1].expand(3, -1, -1))  # one set a group
    own = queries.position[:, 0] // 8
    for t, block in enumerate(own.tolist()):
        expected = torch.zeros(43, dtype=torch.bool)
        for forced in (0, block - 1, block):
            expected[forced * 8 : forced * 8 + 8] = True
        assert torch.equal(mask[0, t], expected & queries.causal[t])
    every = selected_mask(queries, NSA(4, 2, 8, count=6, window=6))
    assert torch.equal(every, queries.causal.expand_as(every))


def test_branches_and_gates() -> None:
    queries, v = nsa_queries()
    outputs = branches(queries, v, SMALL)
    assert outputs.shape == (3, 6, 10, 8)
    torch.testing.assert_close(outputs[2], queries.output(v, sinks_and_window(queries, 6)))
    gates = torch.randn(6, 3, generator=generator())
    mixed = gated(outputs, gates)
    torch.testing.assert_close(mixed[4, 2], sum(gates[4, i] * outputs[i, 4, 2] for i in range(3)))
    torch.testing.assert_close(fitted_gates(outputs, mixed), gates, atol=1e-3, rtol=1e-3)
    full = queries.output(v)
    best = (gated(outputs, fitted_gates(outputs, full)) - full).norm()
    assert all(best <= (output - full).norm() for output in (*outputs, outputs.mean(0)))
