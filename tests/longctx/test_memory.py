"""The allocation counter against tensors whose size is known."""

from __future__ import annotations

import torch

from mini_llm import KVCache, Transformer
from mini_llm.longctx.memory import Allocations


def test_what_is_alive_and_what_was_at_the_peak() -> None:
    outside = torch.ones(1000)
    with Allocations() as memory:
        kept = torch.zeros(100, dtype=torch.float64)
        assert memory.held == 800
        view = kept.view(10, 10)[2:]
        assert memory.held == 800
        gone = torch.empty(50, dtype=torch.float32)
        del gone
        assert (memory.held, memory.peak) == (800, 1000)
        outside.add_(1)
        assert outside[::2].sum().shape == ()
    assert view.shape == (8, 10)
    assert memory.held == 800
    del kept
    assert memory.held == 800  # the view still holds it
    del view
    assert memory.held == 0


def test_a_cache_is_all_that_a_pass_leaves(tiny: Transformer) -> None:
    ids = torch.arange(40)[None] % 7
    tiny(ids)
    with Allocations() as memory:
        cache = KVCache(3)
        tiny(ids, cache, logits_for=[-1])
    assert 0 <= memory.held - cache.nbytes() <= 2 * 8 * 40 + 64  # positions
    assert memory.peak > memory.held
