"""Shapes read from config.json: against the reference shapes, and against the models that transformers builds."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch
from transformers import AutoConfig, AutoModelForCausalLM

from mini_llm.longctx.references import SHAPES
from mini_llm.longctx.shapes_from_config import READERS, ConfigError, shape_from_config


def sized(
    family: str, hidden: int, inner: int, layers: int, heads: int, kv: int, vocab: int, **more: Any
) -> dict[str, Any]:
    """The entries that nearly all configs have, and ``more``."""
    return {
        "model_type": family,
        "hidden_size": hidden,
        "intermediate_size": inner,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "num_key_value_heads": kv,
        "vocab_size": vocab,
        "torch_dtype": "bfloat16",
        **more,
    }


PUBLISHED = {
    "Llama-3-8B": sized("llama", 4096, 14_336, 32, 32, 8, 128_256, rope_theta=5e5),
    "SmolLM2-135M": sized("llama", 576, 1536, 30, 9, 3, 49_152, tie_word_embeddings=True),
    "Qwen2.5-7B": sized(
        *("qwen2", 3584, 18_944, 28, 28, 4, 152_064),
        use_sliding_window=False, sliding_window=131_072, max_window_layers=28, tie_word_embeddings=False,
    ),
    "Qwen3-0.6B": sized(
        *("qwen3", 1024, 3072, 28, 16, 8, 151_936),
        head_dim=128, sliding_window=None, use_sliding_window=False, tie_word_embeddings=True,
    ),
    "Mistral-7B-v0.1": sized("mistral", 4096, 14_336, 32, 32, 8, 32_000, sliding_window=4096),
    "Gemma-3-27B": {
        "model_type": "gemma3",
        "vision_config": {"hidden_size": 1152, "num_hidden_layers": 27},
        "text_config": {
            "model_type": "gemma3_text",
            "hidden_size": 5376,
            "intermediate_size": 21_504,
            "num_hidden_layers": 62,
            "num_attention_heads": 32,
            "num_key_value_heads": 16,
            "head_dim": 128,
            "sliding_window": 1024,
        },
    },
    "Qwen3-235B-A22B": sized(
        *("qwen3_moe", 4096, 12_288, 94, 64, 4, 151_936),
        head_dim=128, num_experts=128, num_experts_per_tok=8, moe_intermediate_size=1536, decoder_sparse_step=1,
        mlp_only_layers=[], use_sliding_window=False, tie_word_embeddings=False,
    ),
    "gpt-oss-20b": sized(
        *("gpt_oss", 2880, 2880, 24, 64, 8, 201_088),
        head_dim=64, num_local_experts=32, num_experts_per_tok=4, sliding_window=128,
        layer_types=["sliding_attention", "full_attention"] * 12, quantization_config={"quant_method": "mxfp4"},
    ),
    "DeepSeek-V3": sized(
        *("deepseek_v3", 7168, 18_432, 61, 128, 128, 129_280),
        q_lora_rank=1536, kv_lora_rank=512, qk_rope_head_dim=64, qk_nope_head_dim=128, v_head_dim=128,
        n_routed_experts=256, n_shared_experts=1, num_experts_per_tok=8, moe_intermediate_size=2048,
        first_k_dense_replace=3, moe_layer_freq=1, quantization_config={"quant_method": "fp8"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_configs_give_the_reference_shapes(name: str) -> None:
    assert shape_from_config(PUBLISHED[name], name) == SHAPES[name]


BUILT = {
    "gemma": sized("gemma", 256, 512, 3, 4, 1, 1000, head_dim=48),
    "gemma2": sized("gemma2", 256, 512, 5, 4, 2, 1000, head_dim=48, sliding_window=32),
    "gemma3 with the entries that are left out": {
        "model_type": "gemma3_text",
        "hidden_size": 256,
        "intermediate_size": 512,
        "num_hidden_layers": 13,
        "sliding_window": 1024,
    },
    "mixtral": sized("mixtral", 256, 512, 2, 4, 2, 1000, num_local_experts=6, num_experts_per_tok=2),
    "phi3": sized("phi3", 256, 512, 2, 4, 4, 1000, pad_token_id=0),
    "llama without KV heads": {k: v for k, v in sized("llama", 256, 512, 2, 4, 4, 1000).items() if "key" not in k},
    "qwen2 that slides": sized(
        "qwen2", 256, 512, 6, 4, 2, 1000, use_sliding_window=True, sliding_window=64, max_window_layers=4
    ),
    "qwen3": sized("qwen3", 256, 512, 3, 4, 2, 1000, head_dim=96, tie_word_embeddings=True),
    "deepseek_v2": sized(
        *("deepseek_v2", 256, 512, 4, 4, 4, 1000),
        q_lora_rank=48, kv_lora_rank=32, qk_rope_head_dim=8, qk_nope_head_dim=16, v_head_dim=24, n_routed_experts=8,
        n_shared_experts=2, num_experts_per_tok=2, moe_intermediate_size=128, first_k_dense_replace=1,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BUILT)
def test_shapes_count_the_parameters_and_windows_of_the_model_that_transformers_builds(name: str) -> None:
    config = AutoConfig.for_model(**BUILT[name])
    with torch.device("meta"):
        model = AutoModelForCausalLM.from_config(config)
    shape = shape_from_config(BUILT[name])
    matrices = [weight for weight in model.parameters() if weight.dim() > 1]  # norms and biases are left out
    assert shape.params == sum(weight.numel() for weight in matrices)
    windowed = (getattr(config, "layer_types", None) or []).count("sliding_attention")
    assert (shape.local_layers, shape.window) == ((windowed, config.sliding_window) if windowed else (0, 0))


@pytest.mark.parametrize("key", ["model_type", "hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size"])
@pytest.mark.parametrize("name", ["Llama-3-8B", "DeepSeek-V3"])
def test_a_missing_entry_is_named(name: str, key: str) -> None:
    config = {entry: value for entry, value in PUBLISHED[name].items() if entry != key}
    with pytest.raises(ConfigError, match=f"lacks {key}$") as caught:
        shape_from_config(config)
    assert (caught.value.problem, caught.value.fields) == ("lacks", {"key": key})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"model_type": "mamba"}, "model_type 'mamba' is not among .* llama, mistral"),
        ({"model_type": ["llama"]}, r"model_type \['llama'\]"),
        ({"num_hidden_layers": "32"}, "num_hidden_layers must be .* got '32'"),
        ({"num_hidden_layers": True}, "num_hidden_layers must be .* got True"),
        ({"vocab_size": 0}, "vocab_size must be .* got 0"),
        ({"hidden_size": 1e300}, "hidden_size must be .* got 1e.300"),
        ({"num_key_value_heads": 5}, "num_key_value_heads=5 of 32 heads"),
        ({"num_attention_heads": 24}, "lacks head_dim"),
        ({"model_type": "gemma2", "head_dim": 8, "layer_types": ["linear_attention"] * 32}, "layer_types='linear"),
        ({"model_type": "gemma2", "head_dim": 8, "layer_types": ["full_attention"]}, "layer_types=a list of another"),
    ],
)
def test_what_cannot_be_counted_is_refused_with_the_entry(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        shape_from_config(PUBLISHED["Llama-3-8B"] | changes)


@pytest.mark.parametrize(
    ("name", "changes", "key"),
    [
        ("Qwen3-235B-A22B", {"mlp_only_layers": [0]}, "mlp_only_layers"),
        ("Qwen3-235B-A22B", {"decoder_sparse_step": 2}, "decoder_sparse_step"),
        ("DeepSeek-V3", {"moe_layer_freq": 2}, "moe_layer_freq"),
        ("DeepSeek-V3", {"q_lora_rank": None}, "q_lora_rank"),
    ],
)
def test_mixtures_beyond_the_formulas_are_refused(name: str, changes: dict[str, Any], key: str) -> None:
    with pytest.raises(ConfigError, match=key):
        shape_from_config(PUBLISHED[name] | changes)


def test_reading_changes_nothing_but_the_name() -> None:
    config = dict(PUBLISHED["Llama-3-8B"])
    assert shape_from_config(config) == dataclasses.replace(SHAPES["Llama-3-8B"], name="pasted")
    assert config == PUBLISHED["Llama-3-8B"]
    assert "kimi_k2" in READERS
