"""A decoder-only Transformer, end to end: embed, layers of attention and MLP, norm, vocabulary head."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from torch import Tensor, nn

from .attention import Attend, SelfAttention
from .cached_attention import CachedAttention, Observe
from .config import ModelConfig
from .fused import Fused, Linear
from .kv_cache import KVCache, check_positions
from .masks import check_mask
from .norm import RMSNorm
from .rope import rope_cos_sin, rope_frequencies

LogitsFor = Tensor | Sequence[int] | slice | None
"""Which of the T new tokens to compute logits for: indices into T, or None for all."""


class MLP(nn.Module):
    """SwiGLU (Shazeer 2020): ``down(silu(gate(x)) * up(x))``."""

    def __init__(self, cfg: ModelConfig) -> None:
        super().__init__()
        self.gate_proj = Linear(cfg.hidden_size, cfg.intermediate_size, bias=False)
        self.up_proj = Linear(cfg.hidden_size, cfg.intermediate_size, bias=False)
        self.down_proj = Linear(cfg.intermediate_size, cfg.hidden_size, bias=False)
        self._gate, self._up, self._down = (Fused(self, name) for name in ("gate_proj", "up_proj", "down_proj"))

    def forward(self, x: Tensor) -> Tensor:
        return self._down(self._up(x, times=self._gate(x, silu=True)))


class Layer(nn.Module):
    """Attention, then MLP, each on a normed input and added to the residual stream."""

    def __init__(self, cfg: ModelConfig) -> None:
        super().__init__()
        self.input_layernorm = RMSNorm(cfg.hidden_size, cfg.rms_norm_eps)
        self.self_attn = SelfAttention(cfg)
        self.post_attention_layernorm = RMSNorm(cfg.hidden_size, cfg.rms_norm_eps)
        self.mlp = MLP(cfg)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, attend: Attend) -> Tensor:
        x = x + self.self_attn(self.input_layernorm(x), cos, sin, attend=attend)
        return x + self.mlp(self.post_attention_layernorm(x))


class Transformer(nn.Module):
    """A decoder whose parameters carry the names of Hugging Face checkpoints (less the leading ``model.``)."""

    def __init__(self, cfg: ModelConfig) -> None:
        super().__init__()
        self.cfg = cfg
        self.embed_tokens = nn.Embedding(
            cfg.vocab_size, cfg.hidden_size, _weight=torch.empty(cfg.vocab_size, cfg.hidden_size)
        )
        self.layers = nn.ModuleList(Layer(cfg) for _ in range(cfg.num_hidden_layers))
        self.norm = RMSNorm(cfg.hidden_size, cfg.rms_norm_eps)
        self.lm_head = Linear(cfg.hidden_size, cfg.vocab_size, bias=False)
        self._head = Fused(self, "lm_head")
        if cfg.tie_word_embeddings:
            self.lm_head.weight = self.embed_tokens.weight

    @classmethod
    def from_pretrained(
        cls, folder: str | Path, dtype: torch.dtype | None = None, device: torch.device | str | None = None
    ) -> Transformer:
        """Load a Hugging Face safetensors folder. dtype defaults to the checkpoint's, device to torch's default.

        Parameters do not require grad. Raises CheckpointError, naming the folder, file or tensor at fault.
        """
        from .checkpoints import load_weights  # checkpoints builds models, so it imports this module

        return load_weights(cls, Path(folder), dtype, device)

    @property
    def device(self) -> torch.device:
        return self.embed_tokens.weight.device

    @property
    def dtype(self) -> torch.dtype:
        return self.embed_tokens.weight.dtype

    def forward(
        self,
        ids: Tensor,
        cache: KVCache | None = None,
        positions: Tensor | None = None,
        mask: Tensor | None = None,
        logits_for: LogitsFor = None,
        observe: Observe | None = None,
    ) -> Tensor:
        """Logits of ids ``[B, T]`` after what the cache holds, which the new K and V are added to.

        positions: int64 ``[T]`` or ``[B, T]``; by default they continue from the cache's newest.
        mask: bool, True = may attend, ``[T, S + T]``, ``[n_heads, T, S + T]`` or ``[B, 1 or n_heads, T, S + T]`` over
        the cache's S slots and the new tokens; by default every cached slot and causal among the new ones.
        observe: ``observe(layer, weights)`` is handed each layer's attention weights, ``[B, n_heads, T, S + T]``.
        Returns ``[B, T or len(logits_for), vocab]`` in the model's dtype, on its device. Raises ValueError naming the
        shape that does not fit; a pass that raises leaves the cache as it was.
        """
        if ids.dim() != 2:
            raise ValueError(f"ids must be [B, T], got shape {tuple(ids.shape)}")
        B, T = ids.shape
        cache = KVCache(self.cfg.num_hidden_layers) if cache is None else cache
        self.check_inputs(ids, cache)
        if positions is None:
            positions = torch.arange(T, device=self.device) + cache.next_position()
        positions = check_positions(positions, B, T).to(self.device)

        attend = CachedAttention(self.cfg, cache, B, positions, mask, observe, check_mask)
        logits = self.run(ids, positions, attend, logits_for)
        cache.commit(T, positions)  # only now: a pass that fails leaves the cache as it was
        return logits

    def run(
        self,
        ids: Tensor,
        positions: Tensor,
        attend: Callable[[int, Tensor, Tensor, Tensor], Tensor],
        logits_for: LogitsFor,
    ) -> Tensor:
        """The pass itself: ``attend(layer, q, k, v)`` is all that decides which keys a query reads."""
        inv_freq, length = rope_frequencies(self.cfg.head_dim, self.cfg.rope_theta, self.cfg.rope_scaling)
        cos, sin = rope_cos_sin(positions, inv_freq.to(self.device), self.dtype, length)
        x = self.embed_tokens(ids.to(self.device))
        for index, layer in enumerate(self.layers):
            x = layer(x, cos, sin, lambda q, k, v, index=index: attend(index, q, k, v))
        if logits_for is not None:
            x = x[:, logits_for if isinstance(logits_for, slice) else torch.as_tensor(logits_for).reshape(-1)]
        return self._head(self.norm(x))

    def check_inputs(self, ids: Tensor, cache: KVCache) -> None:
        """Raise ValueError unless ids are int64 numbers of this vocabulary and the cache has this model's layers."""
        if ids.dtype != torch.int64 or ids.numel() == 0:
            raise ValueError(f"ids must be int64 and not empty, got {ids.dtype} of shape {tuple(ids.shape)}")
        low, high = int(ids.min()), int(ids.max())
        if low < 0 or high >= self.cfg.vocab_size:
            wrong = low if low < 0 else high
            raise ValueError(f"token id {wrong} is outside the vocabulary of {self.cfg.vocab_size}")
        if len(cache) != self.cfg.num_hidden_layers:
            raise ValueError(f"the cache has {len(cache)} layers, the model {self.cfg.num_hidden_layers}")
