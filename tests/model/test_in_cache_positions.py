"""The bounded cache with positions in the cache, against StreamingLLM's own protocol written out."""

from __future__ import annotations

import re

import pytest
import torch
from conftest import make_tiny
from torch import Tensor

from mini_llm import BoundedKVCache, Transformer, apply_rope
from mini_llm.rope import rope_cos_sin, rope_frequencies

T = 20
IDS = torch.randint(97, (2, T), generator=torch.Generator().manual_seed(7))
SHAPES = [(6, 2), (5, 1), (7, 4), (6, 0), (T, 4)]
NAMES = ["llama, group 3", "qwen3, group 2", "llama, group 7, llama3 rule", "qwen2, yarn"]


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, atol=1e-4, rtol=1e-4)


@torch.no_grad()
def streaming_llm(model: Transformer, ids: Tensor, budget: int, sinks: int) -> Tensor:
    """Keys are kept unrotated; each step evicts, appends, and turns every key by its index in the cache."""
    cfg = model.cfg
    frequencies, length = rope_frequencies(cfg.head_dim, cfg.rope_theta, cfg.rope_scaling)
    held = [[torch.empty(len(ids), cfg.num_key_value_heads, 0, cfg.head_dim)] * 2 for _ in model.layers]
    logits = []
    for token in ids.split(1, dim=1):
        x = model.embed_tokens(token)
        for index, layer in enumerate(model.layers):
            attention, normed = layer.self_attn, layer.input_layernorm(x)
            new = [
                project(normed).view(len(ids), 1, -1, cfg.head_dim).transpose(1, 2)
                for project in (attention.q_proj, attention.k_proj, attention.v_proj)
            ]
            q, new_k = attention.q_norm(new[0]), attention.k_norm(new[1])
            S = held[index][0].shape[2]
            survivors = [slot for slot in range(S) if slot < sinks or slot >= S - (budget - sinks)]
            k, v = (
                torch.cat((old[:, :, survivors], more), dim=2)
                for old, more in zip(held[index], (new_k, new[2]), strict=True)
            )
            held[index] = [k, v]
            cos, sin = rope_cos_sin(torch.arange(k.shape[2]), frequencies, x.dtype, length)
            q = apply_rope(q, cos[:, :, -1:], sin[:, :, -1:])
            group = cfg.num_attention_heads // cfg.num_key_value_heads
            k, v = (part.repeat_interleave(group, dim=1) for part in (apply_rope(k, cos, sin), v))
            mixed = (q @ k.mT * cfg.head_dim**-0.5).softmax(dim=-1) @ v
            x = x + attention.o_proj(mixed.transpose(1, 2).reshape(len(ids), 1, -1))
            x = x + layer.mlp(layer.post_attention_layernorm(x))
        logits.append(model.lm_head(model.norm(x)))
    return torch.cat(logits, dim=1)


@torch.no_grad()
def bounded(model: Transformer, sizes: int | list[int], budget: int, sinks: int, in_cache: bool = True) -> Tensor:
    cache = BoundedKVCache(3, budget, sinks, in_cache_positions=in_cache)
    return torch.cat([model(piece, cache) for piece in IDS.split(sizes, dim=1)], dim=1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_equals_the_protocol_of_streaming_llm(
    tinies: dict[str, Transformer], name: str, shape: tuple[int, int]
) -> None:
    expected = streaming_llm(tinies[name], IDS, *shape)
    for sizes in (1, 3, T, [5, 1, 8, 6], [7, 13]):
        close(bounded(tinies[name], sizes, *shape), expected)


@pytest.mark.parametrize("name", NAMES)
def test_differs_from_true_positions_once_something_was_evicted(tinies: dict[str, Transformer], name: str) -> None:
    in_cache, true = (bounded(tinies[name], 3, 6, 2, in_cache) for in_cache in (True, False))
    close(in_cache[:, :7], true[:, :7])
    assert not torch.allclose(in_cache[:, 7:], true[:, 7:], atol=1e-2)


@pytest.mark.parametrize("sizes", [1, 3, T])
@pytest.mark.parametrize("name", NAMES)
def test_without_sinks_both_kinds_of_positions_are_the_same(
    tinies: dict[str, Transformer], name: str, sizes: int
) -> None:
    close(bounded(tinies[name], sizes, 6, 0), bounded(tinies[name], sizes, 6, 0, in_cache=False))


@pytest.mark.parametrize("sizes", [1, [5, 1, 8, 6]], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_bf16(name: str, sizes: int | list[int], tmp_path_factory: pytest.TempPathFactory) -> None:
    model = make_tiny(name, tmp_path_factory.mktemp("bf16"), torch.bfloat16)[1]
    found, with_true = (bounded(model, sizes, 6, 2, in_cache) for in_cache in (True, False))
    assert found.dtype is torch.bfloat16
    exact = streaming_llm(model.float(), IDS, 6, 2)
    exact_with_true = bounded(model, sizes, 6, 2, in_cache=False)
    # turning a query a second time adds one rounding to the many that a pass with true positions has
    assert (found - exact).norm() / exact.norm() < 1.5 * (with_true - exact_with_true).norm() / exact_with_true.norm()


@pytest.mark.parametrize(
    ("first", "positions"),
    [(0, [1, 2, 3]), (4, [0, 1, 2]), (12, [12, 13, 15]), (12, [6, 7, 8]), (12, [[12, 13, 14], [4, 5, 6]])],
)
def test_positions_that_are_not_the_texts_own_raise(tiny: Transformer, first: int, positions: list[object]) -> None:
    cache = BoundedKVCache(3, 6, 2, in_cache_positions=True)
    if first:
        tiny(IDS[:, :first], cache)
    words = rf"need the text's own, {first} and on, got .*{re.escape(str(positions[0]))}"
    with pytest.raises(ValueError, match=words):
        tiny(IDS[:, first : first + 3], cache, positions=torch.tensor(positions))
    assert cache.seq_len() == min(first, 6)
    tiny(IDS[:, first : first + 3], cache, positions=torch.arange(first, first + 3))


def test_slots_cannot_be_kept() -> None:
    cache = BoundedKVCache(1, 6, 2, in_cache_positions=True)
    cache.update(0, torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4))
    with pytest.raises(ValueError, match="cannot keep slots"):
        cache.keep([0, 2])
    assert cache.seq_len() == 3
