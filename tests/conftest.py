"""What several test files share: the repository's root, the embedded model, tiny random models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import transformers
from torch import Tensor

from mini_llm import Transformer
from mini_llm.checkpoints import EMBEDDED, find_folder, is_whole

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def model_folder() -> Path:
    folder = find_folder(EMBEDDED)
    if not is_whole(folder):
        pytest.fail(
            "the embedded model is not there; `make test` makes it (python -m mini_llm.checkpoints smollm2-135m)"
        )
    return folder


@pytest.fixture(scope="session")
def model(model_folder: Path) -> Transformer:
    return Transformer.from_pretrained(model_folder)


@pytest.fixture(scope="session")
def tokenizer(model_folder: Path) -> Any:
    return transformers.AutoTokenizer.from_pretrained(model_folder)


@pytest.fixture(scope="session")
def passage_ids(tokenizer: Any) -> Tensor:
    """The whole sample passage, int64 ``[T]``."""
    text = (ROOT / "assets" / "sample_passage.txt").read_text(encoding="utf-8")
    return torch.tensor(tokenizer(text).input_ids)


TINY = {
    "llama, group 3": ("Llama", {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 16}),
    "llama, group 1, tied": (
        "Llama",
        {"num_attention_heads": 4, "num_key_value_heads": 4, "head_dim": 8, "tie_word_embeddings": True},
    ),
    "llama, one KV head": ("Llama", {"num_attention_heads": 5, "num_key_value_heads": 1, "head_dim": 32}),
    "llama, group 7, llama3 rule": (
        "Llama",
        {
            "num_attention_heads": 7,
            "num_key_value_heads": 1,
            "head_dim": 16,
            "hidden_size": 56,
            "rope_parameters": {
                "rope_type": "llama3",
                "rope_theta": 5e4,
                "factor": 8.0,
                "low_freq_factor": 1.0,
                "high_freq_factor": 4.0,
                "original_max_position_embeddings": 16,
            },
        },
    ),
    "mistral, group 2, window 5": (
        "Mistral",
        {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 20, "sliding_window": 5},
    ),
    "qwen2, group 3": (
        "Qwen2",
        {"num_attention_heads": 6, "num_key_value_heads": 2, "head_dim": 16, "use_sliding_window": False},
    ),
    "qwen2, yarn": (
        "Qwen2",
        {
            "num_attention_heads": 4,
            "num_key_value_heads": 2,
            "hidden_size": 64,
            "rope_parameters": {
                "rope_type": "yarn",
                "rope_theta": 5e4,
                "factor": 4.0,
                "original_max_position_embeddings": 32,
            },
        },
    ),
    "qwen3, group 2": ("Qwen3", {"num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 24}),
    "qwen3, group 1, tied": (
        "Qwen3",
        {"num_attention_heads": 3, "num_key_value_heads": 3, "head_dim": 16, "tie_word_embeddings": True},
    ),
}
"""Random models of each family; head_dim is hidden_size / num_attention_heads only where transformers insists."""


def make_tiny(name: str, folder: Path, dtype: torch.dtype = torch.float32) -> tuple[Any, Transformer]:
    """The same random weights twice: as transformers' model and, through ``folder``, as ours."""
    family, shape = TINY[name]
    common = {"vocab_size": 97, "hidden_size": 60, "intermediate_size": 56, "num_hidden_layers": 3}
    common |= {"rope_parameters": {"rope_type": "default", "rope_theta": 5e4}, "max_position_embeddings": 128}
    config = getattr(transformers, f"{family}Config")(**(common | shape))
    torch.manual_seed(0)
    theirs = getattr(transformers, f"{family}ForCausalLM")(config).eval()
    for parameter in theirs.parameters():  # the default initialisation is so small that mistakes hide in it
        torch.nn.init.normal_(parameter, std=0.3) if parameter.dim() > 1 else torch.nn.init.uniform_(
            parameter, 0.5, 1.5
        )
    theirs.to(dtype).save_pretrained(folder)
    return theirs, Transformer.from_pretrained(folder)


@pytest.fixture(params=TINY)
def tiny_pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, Transformer]:
    return make_tiny(request.param, tmp_path)


@pytest.fixture
def tiny(tmp_path: Path) -> Transformer:
    """A tiny random model with three query heads a KV head."""
    return make_tiny("llama, group 3", tmp_path)[1]
