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


def shaped(family: str, heads: int, kv_heads: int, head_dim: int, **more: Any) -> tuple[str, dict[str, Any]]:
    return family, {"num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": head_dim} | more


LLAMA3_RULE = {
    "rope_type": "llama3",
    "rope_theta": 5e4,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
YARN = {"rope_type": "yarn", "rope_theta": 5e4, "factor": 8.0, "original_max_position_embeddings": 32}
TIED = {"tie_word_embeddings": True}

TINY: dict[str, tuple[str, dict[str, Any]]] = {
    "llama, group 3": shaped("Llama", 6, 2, 16),
    "llama, group 1, tied": shaped("Llama", 4, 4, 8, **TIED),
    "llama, group 2, tied": shaped("Llama", 4, 2, 18, **TIED),
    "llama, one KV head": shaped("Llama", 5, 1, 32),
    "llama, group 7, llama3 rule": shaped("Llama", 7, 1, 16, hidden_size=56, rope_parameters=LLAMA3_RULE),
    "mistral, group 2, window 5": shaped("Mistral", 4, 2, 20, sliding_window=5),
    "mistral, group 1, no window": shaped("Mistral", 3, 3, 16, sliding_window=None),
    "mistral, group 3, window 4, tied": shaped("Mistral", 6, 2, 12, sliding_window=4, **TIED),
    "mistral, group 7, window 9, tied": shaped("Mistral", 14, 2, 8, sliding_window=9, **TIED),
    "qwen2, group 1": shaped("Qwen2", 3, 3, 24, use_sliding_window=False),
    "qwen2, group 3": shaped("Qwen2", 6, 2, 16, use_sliding_window=False),
    "qwen2, group 7, tied": shaped("Qwen2", 14, 2, 8, **TIED),
    "qwen2, yarn": (
        "Qwen2",
        {"num_attention_heads": 4, "num_key_value_heads": 2, "hidden_size": 64, "rope_parameters": YARN},
    ),
    "qwen3, group 2": shaped("Qwen3", 4, 2, 24),
    "qwen3, group 1, tied": shaped("Qwen3", 3, 3, 16, **TIED),
    "qwen3, group 3, tied": shaped("Qwen3", 6, 2, 14, **TIED),
    "qwen3, group 7": shaped("Qwen3", 7, 1, 16),
}
"""Random models of each family with groups of 1, 2, 3 and 7 query heads, the head tied to the embedding or its own.

head_dim is hidden_size / num_attention_heads in the YaRN model alone, which leaves it out as published files do.
"""


def make_tiny(name: str, folder: Path, dtype: torch.dtype = torch.float32) -> tuple[Any, Transformer]:
    """The same random weights twice: as transformers' model and, through ``folder``, as ours."""
    family, shape = TINY[name]
    common = {"vocab_size": 97, "hidden_size": 60, "intermediate_size": 56, "num_hidden_layers": 3}
    common |= {"rope_parameters": {"rope_type": "default", "rope_theta": 5e4}, "max_position_embeddings": 256}
    config = getattr(transformers, f"{family}Config")(**(common | shape))
    torch.manual_seed(0)
    theirs = getattr(transformers, f"{family}ForCausalLM")(config).eval()
    for parameter in theirs.parameters():  # the default initialisation is so small that mistakes hide in it
        torch.nn.init.normal_(parameter, std=0.3) if parameter.dim() > 1 else torch.nn.init.uniform_(
            parameter, 0.5, 1.5
        )
    theirs.to(dtype).save_pretrained(folder)
    return theirs, Transformer.from_pretrained(folder)


@pytest.fixture(scope="session")
def tinies(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Transformer]:
    """Every tiny model by its name, for tests that change none of them."""
    return {name: make_tiny(name, tmp_path_factory.mktemp("tiny"))[1] for name in TINY}


@pytest.fixture(params=TINY)
def tiny_pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Any, Transformer]:
    return make_tiny(request.param, tmp_path)


@pytest.fixture
def tiny(tmp_path: Path) -> Transformer:
    """A tiny random model with three query heads a KV head."""
    return make_tiny("llama, group 3", tmp_path)[1]
