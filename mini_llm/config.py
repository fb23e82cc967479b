"""The shape of a model: what a checkpoint's ``config.json`` says, checked."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from .rope import RULES, UNSCALED, RopeScaling


class CheckpointError(ValueError):
    """A model folder that cannot be used; the message names the folder or value and what to do."""


@dataclass(frozen=True)
class Family:
    """What sets one family of decoders apart from plain Llama. A new family is a row in ``FAMILIES``."""

    qk_norm: bool = False  # RMSNorm over head_dim on q and k, before RoPE
    qkv_bias: bool = False
    sliding_window: bool = (
        False  # every layer attends to the last `sliding_window` positions, where config.json has one
    )


FAMILIES = {
    "llama": Family(),  # Llama 2/3 and SmolLM2
    "mistral": Family(sliding_window=True),
    "qwen2": Family(qkv_bias=True),  # Qwen2.5
    "qwen3": Family(qk_norm=True),
}

_REQUIRED = (
    "vocab_size",
    "hidden_size",
    "intermediate_size",
    "num_hidden_layers",
    "num_attention_heads",
)

_TRAINED = ("factor", "original_max_position_embeddings")

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
    rope_scaling: RopeScaling = UNSCALED
    sliding_window: int | None = None  # self and the sliding_window - 1 positions before it
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
        theta, scaling = _rope(raw)
        windowed = FAMILIES[model_type].sliding_window and raw.get("sliding_window") is not None
        return cls(
            model_type=model_type,
            **shape,
            num_key_value_heads=_positive_int(raw, "num_key_value_heads", heads),
            # Families that set head_dim mean it: Qwen3-0.6B has 128 with hidden / heads = 64.
            head_dim=_positive_int(raw, "head_dim", shape["hidden_size"] // heads),
            rms_norm_eps=_positive_float(raw, "rms_norm_eps", 1e-6),
            rope_theta=theta,
            rope_scaling=scaling,
            sliding_window=_positive_int(raw, "sliding_window") if windowed else None,
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


def _rope(raw: dict[str, Any]) -> tuple[float, RopeScaling]:
    """RoPE's base and scaling rule: transformers 5 writes ``rope_parameters``, older files ``rope_scaling``."""
    found: dict[str, Any] = {}
    for name in ("rope_parameters", "rope_scaling"):
        rope = raw.get(name) or {}
        if not isinstance(rope, dict):
            raise CheckpointError(f"{name} must be an object, got {rope!r}")
        found |= rope
    theta = _positive_float(found if "rope_theta" in found else raw, "rope_theta", 10_000.0)
    kind = found.get("rope_type", found.get("type", "default"))
    if kind not in RULES:
        raise CheckpointError(f"rope_type {kind!r} is not supported; {', '.join(sorted(RULES))} are")
    names = {field.name for field in fields(RopeScaling)} - {"rope_type"}
    unknown = sorted(found.keys() - names - {"rope_type", "type", "rope_theta"})
    if unknown:
        raise CheckpointError(f"the {kind} rule of RoPE is given {unknown[0]}={found[unknown[0]]!r}, not supported")
    needed = {"linear": ("factor",), "yarn": _TRAINED, "llama3": (*_TRAINED, "low_freq_factor", "high_freq_factor")}
    missing = [name for name in needed.get(kind, ()) if found.get(name) is None]
    if missing:
        raise CheckpointError(f"the {kind} rule of RoPE needs {', '.join(missing)} in config.json")
    given = {name: found[name] for name in names & found.keys() if found[name] is not None}
    for name in given.keys() - {"truncate"}:
        _positive_float(given, name, 1.0)
    return theta, RopeScaling(kind, **given)
