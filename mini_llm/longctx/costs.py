"""What long context costs: FLOPs, bytes, and the lengths at which one overtakes another.

A multiply-add counts as 2 FLOPs. GB is 10^9 bytes, GiB is 2^30.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..config import ModelConfig


@dataclass(frozen=True)
class Shape:
    """What the cost of a decoder with full attention depends on. Norms and biases, under 0.1 %, are left out."""

    name: str
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    hidden_size: int
    intermediate_size: int
    vocab_size: int
    tied: bool

    @property
    def layer_params(self) -> int:
        """Parameters of all layers' matrices: q, k, v, o and the MLP's three."""
        heads = 2 * self.num_attention_heads + 2 * self.num_key_value_heads
        return self.num_hidden_layers * self.hidden_size * (heads * self.head_dim + 3 * self.intermediate_size)

    @property
    def head_params(self) -> int:
        """Parameters of the vocabulary head, and as many again of the embedding table where the two are not tied."""
        return self.vocab_size * self.hidden_size

    @property
    def params(self) -> int:
        """All parameters, each counted once."""
        return self.layer_params + self.head_params * (1 if self.tied else 2)

    @classmethod
    def of(cls, name: str, cfg: ModelConfig) -> Shape:
        """The shape of a model one has."""
        return cls(
            name,
            cfg.num_hidden_layers,
            cfg.num_attention_heads,
            cfg.num_key_value_heads,
            cfg.head_dim,
            cfg.hidden_size,
            cfg.intermediate_size,
            cfg.vocab_size,
            cfg.tie_word_embeddings,
        )


# Shapes as published (maxtext model configs; SmolLM2 from its GGUF metadata).
SHAPES = {
    shape.name: shape
    for shape in (
        Shape("SmolLM2-135M", 30, 9, 3, 64, 576, 1536, 49_152, True),
        Shape("Qwen3-0.6B", 28, 16, 8, 128, 1024, 3072, 151_936, True),
        Shape("Qwen2.5-7B", 28, 28, 4, 128, 3584, 18_944, 152_064, False),
        Shape("Llama-2-7B", 32, 32, 32, 128, 4096, 11_008, 32_000, False),
        Shape("Llama-2-70B", 80, 64, 8, 128, 8192, 28_672, 32_000, False),
        Shape("Llama-3-8B", 32, 32, 8, 128, 4096, 14_336, 128_256, False),
        Shape("Llama-3-70B", 80, 64, 8, 128, 8192, 28_672, 128_256, False),
    )
}


def kv_bytes(shape: Shape, tokens: int, bytes_per_element: float = 2) -> float:
    """Bytes of K and V of ``tokens`` tokens in all layers; GQA counts the KV heads, not the query heads."""
    return 2 * shape.num_hidden_layers * shape.num_key_value_heads * shape.head_dim * tokens * bytes_per_element


def attention_flops(shape: Shape, keys: float) -> float:
    """FLOPs of one token's attention over ``keys`` keys, all layers: QK^T and PV, 2 each. GQA does not lower them."""
    return 4 * shape.num_hidden_layers * shape.num_attention_heads * shape.head_dim * keys


def decode_flops(shape: Shape) -> int:
    """FLOPs of a decoded token's matrix products: the layers and the head; the embedding table is a lookup."""
    return 2 * (shape.layer_params + shape.head_params)


def decode_crossover(shape: Shape) -> float:
    """Context length at which the newest token's attention costs as much as its matrix products."""
    return decode_flops(shape) / attention_flops(shape, 1)


def prefill_crossover(shape: Shape) -> float:
    """Prompt length at which all attention of a causal prefill costs as much as all its matrix products.

    A prompt token sees half the prompt on average and needs no head (the last one's is not counted), so the length is
    twice ``decode_crossover`` less the head's part.
    """
    return 2 * shape.layer_params / attention_flops(shape, 0.5)


def attention_share(shape: Shape, tokens: float) -> float:
    """Share of attention in the FLOPs of a causal prefill of ``tokens`` tokens, 0 to 1."""
    attention = attention_flops(shape, tokens / 2)
    return attention / (attention + 2 * shape.layer_params)


def decode_seconds(shape: Shape, tokens: int, batch: int, bandwidth: float, bytes_per_element: float = 2) -> float:
    """Least time of one decode step in seconds, at bandwidth bytes/s.

    Memory traffic alone: all weights but the embedding table once, and every sequence's KV once.
    """
    weights = (shape.layer_params + shape.head_params) * bytes_per_element
    return (weights + batch * kv_bytes(shape, tokens, bytes_per_element)) / bandwidth
