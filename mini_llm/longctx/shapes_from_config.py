"""The shape of a model from its ``config.json``, read as Hugging Face's transformers reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from reprlib import repr as brief
from typing import Any, ClassVar

from .costs import MLA, MoE, Shape

LARGEST = 10**8  # of any one entry: what is beyond is a slip of the keyboard


class ConfigError(ValueError):
    """A config that cannot be counted. ``problem`` and ``fields`` say why, for those who word it in another language.

    ``"lacks"`` key; ``"value"`` key, value; ``"family"`` model_type, known; ``"uncounted"`` key, value.
    """

    MESSAGES: ClassVar = {
        "lacks": "the config lacks {key}",
        "value": "{key} must be a whole number from 1 to 100,000,000, got {value}",
        "family": "model_type {value} is not among the families that can be counted: {known}",
        "uncounted": "{key}={value} is not a thing that can be counted here",
    }

    def __init__(self, problem: str, **fields: str) -> None:
        super().__init__(self.MESSAGES[problem].format(**fields))
        self.problem, self.fields = problem, fields


class Config:
    """A config's entries, checked as they are read; ``defaults`` are what the family's class takes where one is left
    out."""

    def __init__(self, raw: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
        self.entries = {**defaults, **{key: value for key, value in raw.items() if value is not None}}

    def number(self, key: str, *, least: int = 1, default: int | None = None) -> int:
        value = self.entries.get(key, default)
        if value is None:
            raise ConfigError("lacks", key=key)
        if type(value) is not int or not least <= value <= LARGEST:
            raise ConfigError("value", key=key, value=brief(value))
        return value

    def only(self, key: str, *counted: Any) -> None:
        """Refuse an entry whose value is another than those that the formulas hold for."""
        if key in self.entries and self.entries[key] not in counted:
            raise ConfigError("uncounted", key=key, value=brief(self.entries[key]))


def _all_windowed(config: Config) -> int:
    return config.number("num_hidden_layers")


def _qwen_windowed(config: Config) -> int:
    """Of Qwen, the layers from ``max_window_layers`` on, and only where ``use_sliding_window`` says so."""
    if not config.entries.get("use_sliding_window"):
        return 0
    return max(0, config.number("num_hidden_layers") - config.number("max_window_layers", least=0))


def _all_but_every(pattern: int) -> Callable[[Config], int]:
    """All layers but every ``pattern``-th, which sees everything."""

    def count(config: Config) -> int:
        layers = config.number("num_hidden_layers")
        return layers - layers // config.number("sliding_window_pattern", default=pattern)

    return count


def _mixtral_experts(config: Config) -> MoE:
    active = config.number("num_experts_per_tok")
    return MoE(config.number("num_local_experts"), active, config.number("intermediate_size"))


def _qwen_experts(config: Config) -> MoE:
    config.only("use_sliding_window", False)
    config.only("decoder_sparse_step", 1)
    config.only("mlp_only_layers", [])
    size = config.number("moe_intermediate_size")
    return MoE(config.number("num_experts"), config.number("num_experts_per_tok"), size)


def _deepseek_experts(config: Config) -> MoE:
    config.only("moe_layer_freq", 1)
    return MoE(
        config.number("n_routed_experts"),
        config.number("num_experts_per_tok"),
        config.number("moe_intermediate_size"),
        shared=config.number("n_shared_experts", least=0),
        dense_layers=config.number("first_k_dense_replace", least=0),
    )


def _latent(config: Config) -> MLA:
    return MLA(
        query_rank=config.number("q_lora_rank"),
        kv_rank=config.number("kv_lora_rank"),
        rope_dim=config.number("qk_rope_head_dim"),
        nope_dim=config.number("qk_nope_head_dim"),
        value_dim=config.number("v_head_dim"),
    )


@dataclass(frozen=True)
class Reader:
    """How one family's config is read: which layers have a window where the config does not list them, the experts,
    the latent attention, and what the family's class takes for entries that published configs leave out.

    ``divides``: head_dim is hidden_size / num_attention_heads where it is left out. ``mha``: without
    num_key_value_heads, every query head has a KV head of its own.
    """

    windowed: Callable[[Config], int] | None = None
    experts: Callable[[Config], MoE] | None = None
    latent: Callable[[Config], MLA] | None = None
    divides: bool = False
    mha: bool = False
    tied: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict)


_GEMMA_3 = {
    "vocab_size": 262_208,
    "num_attention_heads": 8,
    "num_key_value_heads": 4,
    "head_dim": 256,
    "sliding_window": 4096,
}
_DEEPSEEK = Reader(experts=_deepseek_experts, latent=_latent, mha=True)

READERS = {
    "llama": Reader(divides=True, mha=True),  # Llama 2 and 3, SmolLM2, Yi
    "mistral": Reader(windowed=_all_windowed, divides=True),
    "mixtral": Reader(windowed=_all_windowed, experts=_mixtral_experts, divides=True),
    "phi3": Reader(windowed=_all_windowed, divides=True, mha=True),
    "qwen2": Reader(windowed=_qwen_windowed, divides=True),  # Qwen2 and Qwen2.5
    "qwen3": Reader(windowed=_qwen_windowed),
    "qwen3_moe": Reader(experts=_qwen_experts),
    "gemma": Reader(tied=True),
    "gemma2": Reader(windowed=_all_but_every(2), tied=True),
    "gemma3_text": Reader(windowed=_all_but_every(6), tied=True, defaults=_GEMMA_3),
    "gpt_oss": Reader(windowed=_all_but_every(2), experts=_mixtral_experts),
    "deepseek_v2": _DEEPSEEK,
    "deepseek_v3": _DEEPSEEK,
    "kimi_k2": _DEEPSEEK,
}


def shape_from_config(raw: Mapping[str, Any], name: str = "pasted") -> Shape:
    """The shape that a ``config.json`` describes; of one that also sees or hears, the language model's.

    raw: the file as a dictionary. Precision and quantisation in it are not looked at: a shape has no bytes. Raises
    ConfigError, a ValueError, where an entry is missing or wrong, or where ``costs`` has no formula for the model.
    """
    text = raw.get("text_config")
    if isinstance(text, Mapping):
        raw = {"tie_word_embeddings": raw.get("tie_word_embeddings"), **text}
    if raw.get("model_type") is None:
        raise ConfigError("lacks", key="model_type")
    family = raw["model_type"]
    if not isinstance(family, str) or family not in READERS:
        raise ConfigError("family", value=brief(family), known=", ".join(READERS))
    reader = READERS[family]
    config = Config(raw, reader.defaults)
    local_layers, window = _windowed(config, reader)
    moe = reader.experts(config) if reader.experts else None
    return Shape(
        name,
        config.number("num_hidden_layers"),
        config.number("num_attention_heads"),
        _kv_heads(config, reader),
        config.number("v_head_dim") if reader.latent else _head_dim(config, reader),
        config.number("hidden_size"),
        config.number("intermediate_size") if moe is None or moe.dense_layers else 0,
        config.number("vocab_size"),
        bool(config.entries.get("tie_word_embeddings", reader.tied)),
        local_layers,
        window,
        moe,
        reader.latent(config) if reader.latent else None,
    )


def _kv_heads(config: Config, reader: Reader) -> int:
    heads = config.number("num_attention_heads")
    if reader.mha and "num_key_value_heads" not in config.entries:
        return heads
    kv_heads = config.number("num_key_value_heads")
    if heads % kv_heads:
        raise ConfigError("uncounted", key="num_key_value_heads", value=f"{kv_heads} of {heads} heads")
    return kv_heads


def _head_dim(config: Config, reader: Reader) -> int:
    if "head_dim" in config.entries or not reader.divides:
        return config.number("head_dim")
    hidden, heads = config.number("hidden_size"), config.number("num_attention_heads")
    if hidden % heads:
        raise ConfigError("lacks", key="head_dim")
    return hidden // heads


def _windowed(config: Config, reader: Reader) -> tuple[int, int]:
    """How many layers see a window, and how wide it is: (0, 0) where all see everything."""
    kinds = config.entries.get("layer_types")
    if kinds is None or reader.windowed is None:
        layers = reader.windowed(config) if reader.windowed and "sliding_window" in config.entries else 0
    else:
        if not isinstance(kinds, list) or len(kinds) != config.number("num_hidden_layers"):
            raise ConfigError("uncounted", key="layer_types", value="a list of another length than num_hidden_layers")
        for kind in kinds:
            if kind not in ("full_attention", "sliding_attention"):
                raise ConfigError("uncounted", key="layer_types", value=brief(kind))
        layers = kinds.count("sliding_attention")
    return (layers, config.number("sliding_window")) if layers else (0, 0)
