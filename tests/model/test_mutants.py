"""The mistakes that teaching code makes silently, each planted in the model and each caught by a named check."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from conftest import make_tiny
from torch import Tensor

from mini_llm import KVCache, Transformer, attention, cached_attention, kv_cache, masks, model, rope
from mini_llm.kv_cache import KVCache as Cache

IDS = torch.randint(97, (1, 12), generator=torch.Generator().manual_seed(4))
Pair = tuple[Any, Transformer]


@torch.no_grad()
def whole_equals_transformers(pair: Pair) -> None:
    torch.testing.assert_close(pair[1](IDS), pair[0](IDS).logits, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def chunks_equal_transformers(pair: Pair) -> None:
    cache = KVCache(3)
    chunks = [pair[1](piece, cache) for piece in IDS.split([5, 4, 3], dim=1)]
    torch.testing.assert_close(torch.cat(chunks, dim=1), pair[0](IDS).logits, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def after_eviction_equals_transformers_with_a_mask(pair: Pair) -> None:
    """Slots 1 and 2 of five are evicted; the rest of the text follows at its true positions."""
    theirs, ours = pair
    cache = KVCache(3)
    ours(IDS[:, :5], cache)
    cache.keep([0, 3, 4])
    mask = torch.ones(12, 12, dtype=torch.bool).tril()
    mask[5:, 1:3] = False
    additive = torch.zeros(1, 1, 12, 12).masked_fill(~mask, -torch.inf)
    expected = theirs(IDS, attention_mask=additive, position_ids=torch.arange(12)[None]).logits[:, 5:]
    torch.testing.assert_close(ours(IDS[:, 5:], cache), expected, atol=1e-4, rtol=1e-4)


plain_attention = F.scaled_dot_product_attention
plain_grouped = attention.grouped_attention
plain_frequencies = rope.rope_frequencies
plain_window = masks.within_window


def no_mask_on_append(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kv_cache, "causal_after", lambda S, T, device: torch.ones(T, S + T, dtype=torch.bool))


def mask_aligned_top_left(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(kv_cache, "causal_after", lambda S, T, device: torch.ones(T, S + T, dtype=torch.bool).tril())


def positions_from_slot_index(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Cache, "next_position", lambda self, layer=0: self.seq_len(layer))


def group_order_swapped(patch: pytest.MonkeyPatch) -> None:
    def swapped(q: Tensor, k: Tensor, v: Tensor, *rest: Any, **named: Any) -> Tensor:
        B, H, T, D = q.shape
        groups = k.shape[1]
        mixed = q.view(B, H // groups, groups, T, D).transpose(1, 2).reshape(B, H, T, D)
        out = plain_grouped(mixed, k, v, *rest, **named)
        return out.view(B, groups, H // groups, T, D).transpose(1, 2).reshape(B, H, T, D)

    patch.setattr(cached_attention, "grouped_attention", swapped)


def no_scale(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(F, "scaled_dot_product_attention", lambda *a, **named: plain_attention(*a, **named, scale=1.0))


def rope_base_off(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(model, "rope_frequencies", lambda D, base, scaling: plain_frequencies(D, base * 1.1, scaling))


def interleaved_pairs(patch: pytest.MonkeyPatch) -> None:
    def interleaved(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        first, second = x[..., ::2], x[..., 1::2]
        return torch.stack((first * cos - second * sin, second * cos + first * sin), dim=-1).flatten(-2)

    patch.setattr(attention, "apply_rope", interleaved)


def window_off_by_one(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(cached_attention, "within_window", lambda mask, window, *rest: plain_window(mask, window + 1, *rest))


def values_off_by_a_scale(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        cached_attention, "grouped_attention", lambda q, k, v, *a, **named: plain_grouped(q, k, v * 1.01, *a, **named)
    )


MUTANTS: list[tuple[Callable[[pytest.MonkeyPatch], None], str, Callable[[Pair], None]]] = [
    (no_mask_on_append, "llama, group 3", chunks_equal_transformers),
    (mask_aligned_top_left, "llama, group 3", chunks_equal_transformers),
    (positions_from_slot_index, "llama, group 3", after_eviction_equals_transformers_with_a_mask),
    (group_order_swapped, "llama, group 3", whole_equals_transformers),
    (no_scale, "llama, group 3", whole_equals_transformers),
    (rope_base_off, "llama, group 3", whole_equals_transformers),
    (interleaved_pairs, "llama, group 3", whole_equals_transformers),
    (window_off_by_one, "mistral, group 2, window 5", whole_equals_transformers),
    (values_off_by_a_scale, "llama, group 3", whole_equals_transformers),
]


@pytest.mark.parametrize(("plant", "name", "check"), MUTANTS, ids=[plant.__name__ for plant, _, _ in MUTANTS])
def test_a_planted_mistake_is_caught(
    plant: Callable[[pytest.MonkeyPatch], None],
    name: str,
    check: Callable[[Pair], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pair = make_tiny(name, tmp_path)
    check(pair)
    plant(monkeypatch)
    if pair[0].config._attn_implementation == "sdpa":
        pair[0].set_attn_implementation("eager")  # theirs must not run our planted attention
    with pytest.raises(AssertionError, match="Tensor-likes are not close"):
        check(pair)
