"""Cost formulas against the published figures and against tensors that were really allocated."""

from __future__ import annotations

import pytest
import torch

from mini_llm import KVCache, Transformer
from mini_llm.longctx import costs
from mini_llm.longctx.costs import MoE, Shape
from mini_llm.longctx.references import DEVICES, SHAPES


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
        ("Qwen3-235B-A22B", 1, 192_512),
        ("Llama-3.1-405B", 1, 516_096),
        ("DeepSeek-V3", 1, 70_272),
        ("gpt-oss-20b", 1, 49_152),
        ("gpt-oss-120b", 1, 73_728),
        ("Gemma-3-27B", 1, 507_904),
        ("Mistral-7B-v0.1", 131_072, 2**29),
        ("gpt-oss-20b", 131_072, 24_576 * (131_072 + 128)),
        ("gpt-oss-120b", 131_072, 36_864 * (131_072 + 128)),
        ("Gemma-3-27B", 131_072, 8192 * (10 * 131_072 + 52 * 1024)),
        ("Gemma-3-27B", 1024, 507_904 * 1024),
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
        ("Qwen3-4B", 13_639, 24_640),
        ("Qwen3-8B", 25_662, 47_104),
        ("Qwen3-32B", 30_502, 59_520),
        ("Llama-3.1-405B", 97_789, 194_560),
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
        ("Qwen3-4B", 4.022e9),
        ("Qwen3-8B", 8.191e9),
        ("Qwen3-32B", 32.762e9),
        ("Qwen3-235B-A22B", 235.09e9),
        ("Llama-3.1-405B", 405.85e9),
        ("Mistral-7B-v0.1", 7.242e9),
        ("DeepSeek-V3", 671.03e9),
        ("gpt-oss-20b", 20.91e9),
        ("gpt-oss-120b", 116.83e9),
        ("Gemma-3-27B", 27.01e9),
    ],
)
def test_params_are_the_published_ones(name: str, params: float) -> None:
    assert SHAPES[name].params == pytest.approx(params, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "active"),
    [
        ("Qwen3-235B-A22B", 22.19e9 - 151_936 * 4096),
        ("DeepSeek-V3", 36.6e9),
        ("gpt-oss-20b", 3.61e9),
        ("gpt-oss-120b", 5.13e9),
    ],
)
def test_active_params_are_the_published_ones_without_the_embedding(name: str, active: float) -> None:
    assert SHAPES[name].active_params == pytest.approx(active, rel=2e-3)


def test_experts_change_memory_and_flops_but_not_kv() -> None:
    few = Shape("few", 4, 8, 2, 16, 128, 0, 1000, True, moe=MoE(experts=4, active=2, expert_size=64))
    many = Shape("many", 4, 8, 2, 16, 128, 0, 1000, True, moe=MoE(experts=16, active=2, expert_size=64))
    router = 4 * 128 * 12
    assert costs.kv_bytes(few, 99) == costs.kv_bytes(many, 99)
    assert many.params - few.params == 4 * 12 * 3 * 128 * 64 + router
    assert many.active_params - few.active_params == router


@pytest.mark.parametrize("name", ["gpt-oss-120b", "DeepSeek-V3", "Qwen3-235B-A22B"])
def test_a_batch_reads_more_and_more_of_the_experts(name: str) -> None:
    shape = SHAPES[name]
    read = [costs.weights_read(shape, batch) for batch in (1, 2, 64, 10**6)]
    assert read[0] == pytest.approx(shape.active_params)
    assert shape.active_params < read[1] < 2 * shape.active_params
    assert read[1] < read[2] < read[3]
    assert read[3] == pytest.approx(shape.params - shape.head_params)


def test_a_dense_model_reads_the_same_weights_for_any_batch() -> None:
    shape = SHAPES["Qwen2.5-7B"]
    assert costs.weights_read(shape, 1) == costs.weights_read(shape, 64) == shape.params - shape.head_params


@pytest.mark.parametrize(
    ("name", "tokens"),
    [
        ("Llama-2-70B", 421e3),
        ("Qwen2.5-7B", 266e3),
        ("Llama-3-8B", 123e3),
        ("Llama-2-7B", 25.7e3),
        ("DeepSeek-V3", 19.1e6),
    ],
)
def test_break_even_tokens(name: str, tokens: float) -> None:
    shape = SHAPES[name]
    assert costs.break_even_tokens(shape) == pytest.approx(tokens, rel=5e-3)
    assert costs.break_even_tokens(shape, 2, 1) == pytest.approx(2 * costs.break_even_tokens(shape))


def test_a_model_of_sliding_layers_alone_is_bounded_and_never_crosses() -> None:
    shape = SHAPES["Mistral-7B-v0.1"]
    assert costs.kv_bytes(shape, 10**9) == costs.kv_bytes(shape, 4096)
    assert costs.decode_crossover(shape) == costs.prefill_crossover(shape) == float("inf")
    assert costs.break_even_tokens(shape) == float("inf")


@pytest.mark.parametrize("name", ["Gemma-3-27B", "gpt-oss-20b", "Llama-3-8B"])
def test_prefill_attention_is_that_of_its_tokens_summed(name: str) -> None:
    """Token t sees t keys or its window: summed, with the half key that the formula leaves out on the diagonal."""
    shape, tokens = SHAPES[name], 3000
    summed = sum(costs.attention_flops(shape, t) for t in range(1, tokens + 1))
    assert costs.prefill_attention_flops(shape, tokens) == pytest.approx(summed, rel=2e-3)


def test_mla_is_cheap_to_keep_and_dear_to_compute() -> None:
    """Folded: 2 x 128 x (576 + 512) FLOPs a key and layer; unfolded 2 x 128 x (192 + 128)."""
    shape = SHAPES["DeepSeek-V3"]
    assert costs.attention_flops(shape, 1) == 61 * 2 * 128 * 1088
    assert costs.prefill_attention_flops(shape, 2) == 61 * 2 * 128 * 320 * 2
    assert costs.attention_flops(shape, 1000) / costs.kv_bytes(shape, 1000) == pytest.approx(241.8, abs=0.1)


@pytest.mark.parametrize(
    ("name", "balance"),
    [
        ("A100-80G SXM", 153),
        ("H100 SXM", 295),
        ("H200 SXM", 206),
        ("B200", 281),
        ("L40S", 419),
        ("RTX 4090", 164),
        ("MI300X", 247),
    ],
)
def test_devices_are_told_by_their_dense_figures(name: str, balance: float) -> None:
    assert DEVICES[name].balance == pytest.approx(balance, abs=0.6)


def test_a_prefill_of_128k_takes_seconds_at_the_peak() -> None:
    assert costs.prefill_flops(SHAPES["Qwen2.5-7B"], 131_072) / DEVICES["H100 SXM"].flops == pytest.approx(
        5.2, abs=0.05
    )


def test_fp8_kv_takes_half_the_cache_and_all_of_the_weights() -> None:
    shape = SHAPES["Qwen2.5-7B"]
    both, alone = costs.decode_seconds(shape, 8192, 4, 1.0), costs.decode_seconds(shape, 8192, 4, 1.0, 2, 1)
    assert both - alone == pytest.approx(2 * costs.kv_bytes(shape, 8192))


@pytest.mark.model
def test_the_embedded_model_has_the_shape_and_parameters_it_is_said_to_have(model: Transformer) -> None:
    shape = Shape.of("SmolLM2-135M", model.cfg)
    assert shape == SHAPES["SmolLM2-135M"]
    norms = sum(p.numel() for p in model.parameters() if p.dim() == 1)
    assert shape.params + norms == sum(p.numel() for p in model.parameters())
