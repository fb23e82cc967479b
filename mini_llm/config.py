"""The shape of a model: what a checkpoint's ``config.json`` says, checked."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class CheckpointError(ValueError):
    """A model folder that cannot be used; the message names the folder or value and what to do."""


@dataclass(frozen=True)
class Family:
    """What sets one family of decoders apart from plain Llama. A new family is a row in ``FAMILIES``."""

    qk_norm: bool = False  # RMSNorm over head_dim on q and k, before RoPE


FAMILIES = {
    "llama": Family(),  # Llama 2/3 and SmolLM2
    "qwen3": Family(qk_norm=True),
}

_REQUIRED = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
)

# Settings that would change the arithmetic, with the only value this code computes.
_FIXED = {
    "hidden_act": "silu",
    "attention_bias": False,
    "mlp_bias": False,
    "use_sliding_window": False,
    "quantization_config": None,
}


@dataclass(frozen=True)
class ModelConfig:
    """Shape and constants of a decoder, under the field's names (those of ``config.json``)."""

    model_type: str
    vocab_size: int
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    rms_norm_eps: float = 1e-6
    rope_theta: float = 10_000.0
    max_position_embeddings: int = 2048
    tie_word_embeddings: bool = False

    def __post_init__(self) -> None:
        if self.model_type not in FAMILIES:
            known = ", ".join(sorted(FAMILIES))
            raise CheckpointError(f"model_type {self.model_type!r} is not a family mini_llm knows ({known})")
        if self.num_attention_heads % self.num_key_value_heads:
            raise CheckpointError(
                f"num_attention_heads={self.num_attention_heads} is not a multiple of "
                f"num_key_value_heads={self.num_key_value_heads}"
            )
        if self.head_dim % 2:
            raise CheckpointError(f"head_dim={self.head_dim} is odd; RoPE turns pairs of dimensions")

    @property
    def family(self) -> Family:
        return FAMILIES[self.model_type]

    @classmethod
    def from_dict(cls, raw: dict[str, Any]) -> ModelConfig:
        """Read the dictionary of a ``config.json``. Raises CheckpointError on what this code would compute wrongly."""
        model_type = raw.get("model_type")
        if not isinstance(model_type, str) or model_type not in FAMILIES:
            known = ", ".join(sorted(FAMILIES))
            raise CheckpointError(f"model_type {model_type!r} is not a family mini_llm knows ({known})")
        for name, only in _FIXED.items():
            if raw.get(name) not in (only, None, False):
                raise CheckpointError(f"config.json has {name}={raw[name]!r}; mini_llm computes only {only!r}")
        missing = [name for name in _REQUIRED if raw.get(name) is None]
        if missing:
            raise CheckpointError(f"config.json lacks {', '.join(missing)}")
        shape = {name: _positive_int(raw, name) for name in _REQUIRED}
        heads = shape["num_attention_heads"]
        return cls(
            model_type=model_type,
            **shape,
            num_key_value_heads=_positive_int(raw, "num_key_value_heads", heads),
            # Families that set head_dim mean it: Qwen3-0.6B has 128 with hidden / heads = 64.
            head_dim=_positive_int(raw, "head_dim", shape["hidden_size"] // heads),
            rms_norm_eps=_positive_float(raw, "rms_norm_eps", 1e-6),
            rope_theta=_rope_theta(raw),
            max_position_embeddings=_positive_int(raw, "max_position_embeddings", 2048),
            tie_word_embeddings=raw.get("tie_word_embeddings") is True,
        )

    @classmethod
    def from_folder(cls, folder: str | Path) -> ModelConfig:
        """Read ``folder/config.json``. Raises CheckpointError when the folder or the file is not there or not JSON."""
        folder = Path(folder)
        if not folder.is_dir():
            raise CheckpointError(
                f"no model folder {str(folder)!r}; the embedded model is made by "
                "`python -m mini_llm.checkpoints smollm2-135m`"
            )
        path = folder / "config.json"
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise CheckpointError(f"{str(folder)!r} is not a model folder: it has no config.json") from None
        except (OSError, ValueError) as error:
            raise CheckpointError(f"{str(path)!r} is not JSON: {error}") from None
        if not isinstance(raw, dict):
            raise CheckpointError(f"{str(path)!r} holds {type(raw).__name__}, not an object")
        try:
            return cls.from_dict(raw)
        except CheckpointError as error:
            raise CheckpointError(f"{str(path)!r}: {error}") from None


def _positive_int(raw: dict[str, Any], name: str, default: int | None = None) -> int:
    value = default if raw.get(name) is None else raw[name]
    if type(value) is not int or value < 1:
        raise CheckpointError(f"{name} must be a whole number of at least 1, got {value!r}")
    return value


def _positive_float(raw: dict[str, Any], name: str, default: float) -> float:
    value = raw.get(name, default)
    if type(value) not in (int, float) or not 0 < value < float("inf"):
        raise CheckpointError(f"{name} must be a number above 0, got {value!r}")
    return float(value)


def _rope_theta(raw: dict[str, Any]) -> float:
    """RoPE base from either spelling: transformers 5 writes ``rope_parameters``, older files ``rope_theta``."""
    base = raw
    for name in ("rope_parameters", "rope_scaling"):
        rope = raw.get(name) or {}
        if not isinstance(rope, dict):
            raise CheckpointError(f"{name} must be an object, got {rope!r}")
        kind = rope.get("rope_type", rope.get("type", "default"))
        if kind != "default":
            raise CheckpointError(f"rope_type {kind!r} is not supported; only 'default' is")
        base = rope if "rope_theta" in rope else base
    return _positive_float(base, "rope_theta", 10_000.0)
