"""RoPE's rules equal transformers' to 1e-6, and its angles do not depend on the model's dtype."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from transformers import LlamaConfig
from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

from mini_llm.config import ModelConfig
from mini_llm.rope import apply_rope, rope_cos_sin, rope_frequencies

RULES: list[dict[str, Any]] = [
    {"rope_type": "default", "rope_theta": 1e4},
    {"rope_type": "linear", "rope_theta": 1e4, "factor": 4.0},
    {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, "original_max_position_embeddings": 32_768},
    {"rope_type": "yarn", "rope_theta": 1e4, "factor": 40.0, "original_max_position_embeddings": 4096, "beta_fast": 16},
    {
        "rope_type": "yarn",
        "rope_theta": 1.5e5,
        "factor": 32.0,
        "original_max_position_embeddings": 4096,
        "truncate": False,
        "attention_factor": 1.25,
    },
    {
        "rope_type": "llama3",
        "rope_theta": 5e5,
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 8192,
    },
]


@pytest.mark.parametrize("rope", RULES, ids=lambda rope: f"{rope['rope_type']}-{rope['rope_theta']:g}")
@pytest.mark.parametrize("head_dim", [64, 128])
def test_rules_equal_transformers(rope: dict[str, Any], head_dim: int) -> None:
    theirs = LlamaConfig(head_dim=head_dim, rope_parameters=dict(rope), max_position_embeddings=131_072)
    ours = ModelConfig.from_dict(theirs.to_dict() | {"model_type": "llama"})
    if rope["rope_type"] == "default":
        frequencies, length = 1.0 / 1e4 ** (torch.arange(0, head_dim, 2).float() / head_dim), 1.0
    else:
        frequencies, length = ROPE_INIT_FUNCTIONS[rope["rope_type"]](theirs, torch.device("cpu"))
    found, found_length = rope_frequencies(head_dim, ours.rope_theta, ours.rope_scaling)
    torch.testing.assert_close(found, frequencies, atol=0, rtol=1e-6)
    assert found_length == pytest.approx(length, rel=1e-9)


@pytest.mark.parametrize(("factor", "length"), [(4.0, 1.1386), (32.0, 1.3466), (40.0, 1.3689), (64.0, 1.4159)])
def test_yarn_lengthens_q_and_k(factor: float, length: float) -> None:
    rope = {"rope_type": "yarn", "rope_theta": 1e4, "factor": factor, "original_max_position_embeddings": 4096}
    shape = {"vocab_size": 9, "hidden_size": 64, "intermediate_size": 9, "num_hidden_layers": 1}
    cfg = ModelConfig.from_dict({"model_type": "qwen2", "num_attention_heads": 4, "rope_parameters": rope} | shape)
    assert rope_frequencies(16, cfg.rope_theta, cfg.rope_scaling)[1] == pytest.approx(length, abs=1e-4)


def test_angles_stay_fp32_at_position_128_000() -> None:
    frequencies, _ = rope_frequencies(64, 1e4)
    exact = torch.tensor(128_000.0, dtype=torch.float64) * frequencies.double()
    cos, sin = rope_cos_sin(torch.tensor([128_000]), frequencies, torch.bfloat16)
    # bf16 stores cos and sin to 2^-9; the angle, rounded once in fp32, is off by 128,000 * 2^-24.
    assert (cos[0, 0, 0].double() - exact.cos()).abs().max() < 2**-9 + 128_000 * 2**-24
    assert (sin[0, 0, 0].double() - exact.sin()).abs().max() < 2**-9 + 128_000 * 2**-24


def test_scores_depend_on_distance_alone() -> None:
    generator = torch.Generator().manual_seed(0)
    q, k = torch.randn(1, 1, 1, 32, generator=generator), torch.randn(1, 1, 1, 32, generator=generator)
    frequencies, _ = rope_frequencies(32, 1e4)

    def score(at_q: int, at_k: int) -> float:
        turned = [
            apply_rope(x, *rope_cos_sin(torch.tensor([p]), frequencies, torch.float32))
            for x, p in ((q, at_q), (k, at_k))
        ]
        return (turned[0] * turned[1]).sum().item()

    assert score(905, 900) == pytest.approx(score(5, 0), abs=1e-4)
    assert score(905, 900) != pytest.approx(score(900, 905), abs=1e-2)
