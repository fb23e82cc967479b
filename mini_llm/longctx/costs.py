"""What long context costs: FLOPs, bytes, and the lengths at which one overtakes another.

A multiply-add counts as 2 FLOPs. GB is 10^9 bytes, GiB is 2^30. Norms, biases and softmax, under 0.1 %, are left out.
The shapes and devices it is asked about stand in ``references``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from ..config import ModelConfig


@dataclass(frozen=True)
class MLA:
    """Multi-head latent attention (DeepSeek-V2, 2024): K and V of all heads are made from one cached vector a token."""

    query_rank: int
    kv_rank: int  # the cached latent vector
    rope_dim: int  # the cached rotated key, shared by all heads
    nope_dim: int  # of a head's key, the part without RoPE
    value_dim: int


@dataclass(frozen=True)
class MoE:
    """A mixture of experts in every layer but the first ``dense_layers``; a router picks ``active`` of ``experts``."""

    experts: int
    active: int
    expert_size: int  # an expert's intermediate size
    shared: int = 0  # experts of that size that every token passes
    dense_layers: int = 0


@dataclass(frozen=True)
class Shape:
    """What the cost of a decoder depends on. ``head_dim`` is read from a config, never hidden_size / heads."""

    name: str
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    hidden_size: int
    intermediate_size: int
    vocab_size: int
    tied: bool
    local_layers: int = 0  # of the layers, those that see the newest `window` tokens alone
    window: int = 0
    moe: MoE | None = None
    mla: MLA | None = None

    @property
    def attention_params(self) -> int:
        """Parameters of all layers' attention: q, k, v, o; with MLA its five projections."""
        heads, hidden = self.num_attention_heads, self.hidden_size
        if self.mla is None:
            one = 2 * (heads + self.num_key_value_heads) * self.head_dim * hidden
        else:
            m = self.mla
            queries = m.query_rank * (hidden + heads * (m.nope_dim + m.rope_dim))
            keys_values = hidden * (m.kv_rank + m.rope_dim) + m.kv_rank * heads * (m.nope_dim + m.value_dim)
            one = queries + keys_values + heads * m.value_dim * hidden
        return self.num_hidden_layers * one

    def mlp_params(self, experts: float) -> float:
        """Parameters of all layers' MLPs, three matrices each, of which ``experts`` routed ones a layer are counted."""
        if self.moe is None:
            return 3 * self.num_hidden_layers * self.hidden_size * self.intermediate_size
        m = self.moe
        dense = 3 * m.dense_layers * self.hidden_size * self.intermediate_size
        one = self.hidden_size * (3 * m.expert_size * (experts + m.shared) + m.experts)  # and the router
        return dense + (self.num_hidden_layers - m.dense_layers) * one

    @property
    def layer_params(self) -> int:
        """Parameters of all layers' matrices, every expert counted."""
        return self.attention_params + round(self.mlp_params(self.moe.experts if self.moe else 0))

    @property
    def active_layer_params(self) -> int:
        """Parameters of the layers that one token is multiplied by."""
        return self.attention_params + round(self.mlp_params(self.moe.active if self.moe else 0))

    @property
    def head_params(self) -> int:
        """Parameters of the vocabulary head, and as many again of the embedding table where the two are not tied."""
        return self.vocab_size * self.hidden_size

    @property
    def params(self) -> int:
        """All parameters, each counted once."""
        return self.layer_params + self.head_params * (1 if self.tied else 2)

    @property
    def active_params(self) -> int:
        """Parameters that a decoded token is multiplied by: layers and head; the embedding table is a lookup."""
        return self.active_layer_params + self.head_params

    @classmethod
    def of(cls, name: str, cfg: ModelConfig) -> Shape:
        """The shape of a model one has."""
        window = cfg.sliding_window or 0
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
            local_layers=cfg.num_hidden_layers if window else 0,
            window=window,
        )

    def token_layers(self, tokens: float) -> float:
        """Keys that the newest of ``tokens`` tokens sees, summed over layers; a local layer shows its window."""
        return (self.num_hidden_layers - self.local_layers) * tokens + self.local_layers * min(tokens, self.window)


def kv_bytes(shape: Shape, tokens: int, bytes_per_element: float = 2) -> float:
    """Bytes that a sequence of ``tokens`` tokens keeps cached.

    GQA counts the KV heads, not the query heads; MLA one latent vector for K and V of all heads; a local layer at most
    its window.
    """
    per_layer = 2 * shape.num_key_value_heads * shape.head_dim
    if shape.mla is not None:
        per_layer = shape.mla.kv_rank + shape.mla.rope_dim
    return per_layer * shape.token_layers(tokens) * bytes_per_element


def _flops_per_key(shape: Shape, decode: bool) -> int:
    """FLOPs of one query and one key in one layer: 2 a channel for QK^T, 2 for PV. GQA does not lower them."""
    if shape.mla is None:
        return 4 * shape.num_attention_heads * shape.head_dim
    m = shape.mla
    if decode:  # absorbed: all heads read the latent vectors as they are cached
        return 2 * shape.num_attention_heads * (2 * m.kv_rank + m.rope_dim)
    return 2 * shape.num_attention_heads * (m.nope_dim + m.rope_dim + m.value_dim)


def attention_flops(shape: Shape, keys: float) -> float:
    """FLOPs of the attention of one decoded token that sees ``keys`` keys, all layers."""
    return _flops_per_key(shape, decode=True) * shape.token_layers(keys)


def prefill_attention_flops(shape: Shape, tokens: float) -> float:
    """FLOPs of all attention of a causal prefill: token t sees t keys, half of them on average."""
    near = min(tokens, shape.window)
    pairs = (shape.num_hidden_layers - shape.local_layers) * tokens**2 / 2
    pairs += shape.local_layers * (near * tokens - near**2 / 2)
    return _flops_per_key(shape, decode=False) * pairs


def decode_flops(shape: Shape) -> int:
    """FLOPs of a decoded token's matrix products: the layers and the head."""
    return 2 * shape.active_params


def prefill_flops(shape: Shape, tokens: float) -> float:
    """FLOPs of a causal prefill, matrix products and attention; the head for one token is left out."""
    return 2 * shape.active_layer_params * tokens + prefill_attention_flops(shape, tokens)


def decode_crossover(shape: Shape) -> float:
    """Context length at which the newest token's attention costs as much as its matrix products."""
    return _where(lambda n: attention_flops(shape, n), decode_flops(shape))


def prefill_crossover(shape: Shape) -> float:
    """Prompt length at which all attention of a causal prefill costs as much as all its matrix products.

    With full attention that is twice ``decode_crossover`` less the head's part, which a prompt does not need.
    """
    return _where(lambda n: prefill_attention_flops(shape, n) / n, 2 * shape.active_layer_params)


def _where(rising: Callable[[float], float], level: float) -> float:
    """Where a function of length that never falls reaches a level; infinity where it does not below 2^60 tokens."""
    low, high = 1e-9, 2.0**60
    if rising(high) < level:
        return math.inf
    while high / low > 1 + 1e-12:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if rising(middle) >= level else (middle, high)
    return high


def attention_share(shape: Shape, tokens: float) -> float:
    """Share of attention in the FLOPs of a causal prefill of ``tokens`` tokens, 0 to 1."""
    return prefill_attention_flops(shape, tokens) / prefill_flops(shape, tokens)


def weights_read(shape: Shape, batch: int = 1) -> float:
    """Parameters that a decode step of ``batch`` tokens reads: all but the embedding table.

    Of a mixture of experts, those expected to be hit when the router is uniform and tokens choose independently.
    """
    experts = 0.0
    if shape.moe is not None:
        experts = shape.moe.experts * (1 - (1 - shape.moe.active / shape.moe.experts) ** batch)
    return shape.attention_params + shape.mlp_params(experts) + shape.head_params


def decode_seconds(
    shape: Shape,
    tokens: int,
    batch: int,
    bandwidth: float,
    bytes_per_element: float = 2,
    kv_bytes_per_element: float | None = None,
) -> float:
    """Least time of one decode step in seconds, at bandwidth bytes/s.

    Memory traffic alone: the weights that are read once, and every sequence's KV once, whose elements are as wide as
    the weights' unless ``kv_bytes_per_element`` says otherwise.
    """
    wide = bytes_per_element if kv_bytes_per_element is None else kv_bytes_per_element
    return (weights_read(shape, batch) * bytes_per_element + batch * kv_bytes(shape, tokens, wide)) / bandwidth


def break_even_tokens(shape: Shape, bytes_per_element: float = 2, kv_bytes_per_element: float | None = None) -> float:
    """Tokens in flight, over all requests, whose KV takes as many bytes as all weights (layers that keep all KV)."""
    wide = bytes_per_element if kv_bytes_per_element is None else kv_bytes_per_element
    growth = kv_bytes(shape, shape.window + 1, wide) - kv_bytes(shape, shape.window, wide)
    return shape.params * bytes_per_element / growth if growth else math.inf
