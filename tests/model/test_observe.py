"""observe: the attention weights of a pass, layer by layer, which change nothing of the pass."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor

from mini_llm import BoundedKVCache, KVCache, Transformer, forward_with_mask
from mini_llm.longctx.probe import capture_qkv

T = 12
IDS = torch.randint(97, (2, T), generator=torch.Generator().manual_seed(8))
NAMES = ["llama, group 3", "mistral, group 2, window 5", "qwen3, group 7"]
pytestmark = pytest.mark.parametrize("name", NAMES)


class Seen:
    """An observer that keeps everything."""

    def __init__(self) -> None:
        self.layers: list[int] = []
        self.weights: list[Tensor] = []

    def __call__(self, layer: int, weights: Tensor) -> None:
        self.layers.append(layer)
        self.weights.append(weights)


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)


def allowed(model: Transformer) -> Tensor:
    t = torch.arange(T)
    distance = t[:, None] - t
    return (distance >= 0) & (distance < (model.cfg.sliding_window or T))


def sums_to_one_and_hides(weights: Tensor, mask: Tensor) -> None:
    close(weights.sum(dim=-1), torch.ones(weights.shape[:-1]))
    hidden = weights[~mask.expand_as(weights)]
    assert hidden.numel()
    assert not hidden.any()


def test_weights_are_the_softmax_of_q_and_k(tinies: dict[str, Transformer], name: str) -> None:
    model, seen = tinies[name], Seen()
    close(model(IDS, observe=seen), model(IDS))
    assert seen.layers == [0, 1, 2]
    captured = [capture_qkv(model, row) for row in IDS]
    for layer, weights in enumerate(seen.weights):
        assert weights.shape == (2, model.cfg.num_attention_heads, T, T)
        sums_to_one_and_hides(weights, allowed(model))
        for row in (0, 1):
            qkv = captured[row][layer]
            k = qkv.k.repeat_interleave(len(qkv.q) // len(qkv.k), dim=0)
            scores = (qkv.q @ k.mT * model.cfg.head_dim**-0.5).masked_fill(~allowed(model), -torch.inf)
            close(weights[row], scores.softmax(dim=-1))


def test_weights_over_cached_slots_are_rows_of_the_whole(tinies: dict[str, Transformer], name: str) -> None:
    model, whole, cache = tinies[name], Seen(), KVCache(3)
    logits = model(IDS, observe=whole)
    start = 0
    for size in (5, 1, 6):
        seen = Seen()
        close(model(IDS[:, start : start + size], cache, observe=seen), logits[:, start : start + size])
        assert seen.layers == [0, 1, 2]
        for weights, expected in zip(seen.weights, whole.weights, strict=True):
            close(weights, expected[:, :, start : start + size, : start + size])
        start += size
    assert cache.seq_len() == T


def test_under_a_mask_by_head_with_cached_slots(tinies: dict[str, Transformer], name: str) -> None:
    model, cache, seen = tinies[name], KVCache(3), Seen()
    model(IDS[:1, :7], cache)
    mask = torch.ones(model.cfg.num_attention_heads, 5, T, dtype=torch.bool).tril(7)
    mask[0, :, 3:6], mask[-1, :, [0, 6]] = False, False
    arguments = (model, IDS[0, 7:], torch.arange(7, T), cache, mask)
    logits, _ = forward_with_mask(*arguments, observe=seen)
    close(logits, forward_with_mask(*arguments)[0])
    assert seen.layers == [0, 1, 2]
    for weights in seen.weights:
        assert weights.shape == (1, model.cfg.num_attention_heads, 5, T)
        sums_to_one_and_hides(weights, mask & allowed(model)[7:])
    again = Seen()
    close(model(IDS[:1, 7:], cache, mask=mask, observe=again)[0], logits)
    for weights, expected in zip(again.weights, seen.weights, strict=True):
        close(weights, expected)


@torch.no_grad()
@pytest.mark.parametrize("size", [1, 3])
def test_over_a_bounded_cache_in_order_of_arrival(tinies: dict[str, Transformer], name: str, size: int) -> None:
    model, seen, whole = tinies[name], Seen(), Seen()
    t = torch.arange(T)
    near = (t < 2) | (t >= t[:, None] - 4)
    logits = model(IDS, mask=near & (t <= t[:, None]), observe=whole)
    cache = BoundedKVCache(3, 6, 2)
    first = T - size
    model(IDS[:, :first], cache)
    slots = [*cache.positions()[0].tolist(), *range(first, T)]
    close(model(IDS[:, first:], cache, observe=seen), logits[:, first:])
    for weights, expected in zip(seen.weights, whole.weights, strict=True):
        close(weights, expected[:, :, first:, slots])
