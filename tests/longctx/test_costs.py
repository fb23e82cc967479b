"""Cost formulas against the published figures and against tensors that were really allocated."""

from __future__ import annotations

import pytest
import torch

from mini_llm import KVCache, Transformer
from mini_llm.longctx import costs
from mini_llm.longctx.costs import SHAPES, Shape


@pytest.mark.parametrize(
    ("name", "tokens", "expected"),
    [
        ("Llama-2-70B", 4096, 1_342_177_280),
        ("Qwen2.5-7B", 3072, 176_160_768),
        ("Qwen2.5-7B", 131_072, 7_516_192_768),
        ("Llama-3-70B", 131_072, 42_949_672_960),
        ("SmolLM2-135M", 1, 23_040),
        ("Qwen3-0.6B", 1, 114_688),
        ("Llama-2-7B", 1, 524_288),
    ],
)
def test_kv_bytes(name: str, tokens: int, expected: int) -> None:
    assert costs.kv_bytes(SHAPES[name], tokens) == expected


@pytest.mark.parametrize(
    ("name", "decode", "prefill"),
    [
        ("SmolLM2-135M", 3_891, 6_144),
        ("Qwen3-0.6B", 5_197, 7_680),
        ("Qwen2.5-7B", 35_228, 65_025),
        ("Llama-2-7B", 25_204, 49_408),
        ("Llama-2-70B", 52_424, 104_448),
        ("Llama-3-8B", 28_628, 53_248),
        ("Llama-3-70B", 53_026, 104_448),
    ],
)
def test_crossovers(name: str, decode: int, prefill: int) -> None:
    assert costs.decode_crossover(SHAPES[name]) == pytest.approx(decode, abs=1)
    assert costs.prefill_crossover(SHAPES[name]) == pytest.approx(prefill, abs=1)


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("Qwen2.5-7B", {4096: 0.059, 32_768: 0.335, 131_072: 0.668, 1_048_576: 0.942}),
        ("Llama-3-70B", {4096: 0.038, 32_768: 0.239, 131_072: 0.557, 1_048_576: 0.909}),
    ],
)
def test_attention_share(name: str, shares: dict[int, float]) -> None:
    for tokens, share in shares.items():
        assert costs.attention_share(SHAPES[name], tokens) == pytest.approx(share, abs=6e-4)


def test_attention_share_is_half_at_the_crossover() -> None:
    shape = SHAPES["Llama-3-8B"]
    assert costs.attention_share(shape, costs.prefill_crossover(shape)) == pytest.approx(0.5)


@pytest.mark.parametrize(("batch", "expected"), [(1, (4.24, 4.29, 4.78, 6.46)), (64, (5.3, 8.7, 40, 148))])
def test_decode_seconds(batch: int, expected: tuple[float, ...]) -> None:
    for tokens, milliseconds in zip((1024, 4096, 32_768, 131_072), expected, strict=True):
        found = 1e3 * costs.decode_seconds(SHAPES["Qwen2.5-7B"], tokens, batch, 3.35e12)
        assert found == pytest.approx(milliseconds, rel=0.01)


def test_kv_bytes_equal_what_a_cache_holds(tiny: Transformer) -> None:
    cache = KVCache(3)
    tiny(torch.zeros(2, 7, dtype=torch.int64), cache)
    shape = Shape.of("tiny", tiny.cfg)
    held = sum(tensor.nbytes for pair in (cache.k, cache.v) for tensor in pair)
    assert costs.kv_bytes(shape, 2 * 7, bytes_per_element=4) == held


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("SmolLM2-135M", 134.515e6),
        ("Qwen3-0.6B", 0.596e9),
        ("Qwen2.5-7B", 7.616e9),
        ("Llama-2-7B", 6.738e9),
        ("Llama-2-70B", 68.977e9),
        ("Llama-3-8B", 8.030e9),
        ("Llama-3-70B", 70.554e9),
    ],
)
def test_params_are_the_published_ones(name: str, params: float) -> None:
    assert SHAPES[name].params == pytest.approx(params, rel=1e-3)


@pytest.mark.model
def test_the_embedded_model_has_the_shape_and_parameters_it_is_said_to_have(model: Transformer) -> None:
    shape = Shape.of("SmolLM2-135M", model.cfg)
    assert shape == SHAPES["SmolLM2-135M"]
    norms = sum(p.numel() for p in model.parameters() if p.dim() == 1)
    assert shape.params + norms == sum(p.numel() for p in model.parameters())
