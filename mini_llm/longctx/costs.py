"""What long context costs: FLOPs, bytes, and the lengths at which one overtakes another.

A multiply-add counts as 2 FLOPs. GB is 10^9 bytes, GiB is 2^30.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..config import ModelConfig


@dataclass(frozen=True)
class Shape:
    """What the cost of a decoder with full attention depends on. ``params`` counts every parameter once."""

    name: str
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    hidden_size: int
    vocab_size: int
    params: float
    tied: bool

    @property
    def head_params(self) -> int:
        """Parameters of the vocabulary head, and as many again of the embedding table where the two are not tied."""
        return self.vocab_size * self.hidden_size

    @property
    def decode_params(self) -> float:
        """Parameters that a decoded token is multiplied with: all but the embedding table, which is only looked up."""
        return self.params if self.tied else self.params - self.head_params

    @property
    def prefill_params(self) -> float:
        """Parameters that a prompt token is multiplied with: the head as well is left out, one token alone needs it."""
        return self.decode_params - self.head_params

    @classmethod
    def of(cls, name: str, cfg: ModelConfig, params: int) -> Shape:
        """The shape of a model one has: its config and the number of its parameters."""
        return cls(
            name,
            cfg.num_hidden_layers,
            cfg.num_attention_heads,
            cfg.num_key_value_heads,
            cfg.head_dim,
            cfg.hidden_size,
            cfg.vocab_size,
            params,
            cfg.tie_word_embeddings,
        )


# Shapes as published, parameters recomputed from the shapes (maxtext model configs; SmolLM2 from its GGUF metadata).
SHAPES = {
    shape.name: shape
    for shape in (
        Shape("SmolLM2-135M", 30, 9, 3, 64, 576, 49_152, 134_515_008, True),
        Shape("Qwen3-0.6B", 28, 16, 8, 128, 1024, 151_936, 0.596e9, True),
        Shape("Qwen2.5-7B", 28, 28, 4, 128, 3584, 152_064, 7.616e9, False),
        Shape("Llama-2-7B", 32, 32, 32, 128, 4096, 32_000, 6.738e9, False),
        Shape("Llama-2-70B", 80, 64, 8, 128, 8192, 32_000, 68.977e9, False),
        Shape("Llama-3-8B", 32, 32, 8, 128, 4096, 128_256, 8.030e9, False),
        Shape("Llama-3-70B", 80, 64, 8, 128, 8192, 128_256, 70.554e9, False),
    )
}


def kv_bytes(shape: Shape, tokens: int, bytes_per_element: float = 2) -> float:
    """Bytes of K and V of ``tokens`` tokens in all layers; GQA counts the KV heads, not the query heads."""
    return 2 * shape.num_hidden_layers * shape.num_key_value_heads * shape.head_dim * tokens * bytes_per_element


def attention_flops(shape: Shape, keys: float) -> float:
    """FLOPs of one token's attention over ``keys`` keys, all layers: QK^T and PV, 2 each. GQA does not lower them."""
    return 4 * shape.num_hidden_layers * shape.num_attention_heads * shape.head_dim * keys


def decode_crossover(shape: Shape) -> float:
    """Context length at which the newest token's attention costs as much as its matrix products."""
    return 2 * shape.decode_params / attention_flops(shape, 1)


def prefill_crossover(shape: Shape) -> float:
    """Prompt length at which all attention of a causal prefill costs as much as all its matrix products.

    A prompt token sees half the prompt on average, so the length is about twice ``decode_crossover``.
    """
    return 2 * shape.prefill_params / attention_flops(shape, 0.5)


def attention_share(shape: Shape, tokens: float) -> float:
    """Share of attention in the FLOPs of a causal prefill of ``tokens`` tokens, 0 to 1."""
    attention = attention_flops(shape, tokens / 2)
    return attention / (attention + 2 * shape.prefill_params)


def decode_seconds(shape: Shape, tokens: int, batch: int, bandwidth: float, bytes_per_element: float = 2) -> float:
    """Least time of one decode step in seconds: all weights once and every sequence's KV once, at bandwidth bytes/s."""
    weights = shape.decode_params * bytes_per_element
    return (weights + batch * kv_bytes(shape, tokens, bytes_per_element)) / bandwidth
