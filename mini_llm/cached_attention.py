"""How the layers of one forward pass read a cache: which keys each query sees, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .attention import additive, attention_weights, grouped_attention, weighted_values
from .config import ModelConfig
from .kv_cache import KVCache
from .masks import causal_after, over_everything, within_window
from .rope import apply_rope, rope_cos_sin, rope_frequencies

Select = Callable[[int, Tensor, Tensor], Tensor]
"""(layer, q ``[B, n_heads, T, D]``, k ``[B, n_kv, S + T, D]``) -> bool mask, chosen inside the pass.

k is a view of the cache's memory: read it, and keep no reference to it.
"""

Masks = Tensor | Sequence[Tensor] | Select | None

Observe = Callable[[int, Tensor], None]
"""(layer, attention weights ``[B, n_heads, T, S + T]``), called layer by layer; what is not kept is freed."""


class CachedAttention:
    """``attend`` of one pass over B sequences: masks are checked and shaped once for the layers that share them."""

    def __init__(
        self,
        cfg: ModelConfig,
        cache: KVCache,
        batch: int,
        positions: Tensor,
        masks: Masks = None,
        observe: Observe | None = None,
    ) -> None:
        self._cfg, self._cache, self._batch, self._positions, self._observe = cfg, cache, batch, positions, observe
        self._masks = masks if masks is None or isinstance(masks, Tensor) or callable(masks) else list(masks)
        if isinstance(self._masks, list) and len(self._masks) != len(cache):
            raise ValueError(f"{len(self._masks)} masks for {len(cache)} layers")
        self._in_order = masks is not None or cfg.sliding_window is not None or observe is not None
        self._turn = self._turn_for_sinks()
        self._explicit = observe is not None or self._turn is not None
        self._ready: dict[tuple[object, ...], Tensor | None] = {}

    def __call__(self, layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Output ``[B, n_heads, T, D]`` of one layer; q, k, v of the new tokens, turned to their positions."""
        keys, values = self._cache.peek(layer, k, v, self._in_order)
        mask = self._mask(layer, q, keys)
        if not self._explicit:
            return grouped_attention(q, keys, values, mask, causal=mask is None and q.shape[2] > 1)
        for_sinks = None if self._turn is None else apply_rope(q, *self._turn)
        weights = attention_weights(q, keys, mask, for_sinks, self._cache.sinks)
        if self._observe is not None:
            self._observe(layer, weights)
        return weighted_values(weights, values)

    def _mask(self, layer: int, q: Tensor, keys: Tensor) -> Tensor | None:
        """The mask of a layer in the form that its attention wants; None when nothing is hidden, or causal alone."""
        T, cfg = q.shape[2], self._cfg
        if self._masks is None or isinstance(self._masks, Tensor | list):
            given = self._masks[layer] if isinstance(self._masks, list) else self._masks
            shared = (id(given), *self._cache.layout(layer))
            if shared not in self._ready:
                mask = self._default(layer, T) if self._masks is None else self._checked(given, T, keys)
                whole = mask is None or cfg.sliding_window or self._explicit
                heads = cfg.num_attention_heads, cfg.num_key_value_heads
                self._ready[shared] = mask if whole or mask is None else additive(mask, *heads, q.dtype)
            mask = self._ready[shared]
        else:
            mask = self._checked(self._masks(layer, q, keys), T, keys)
        if mask is None or not cfg.sliding_window:
            return mask
        positions = self._positions.view(-1, T)
        return within_window(mask, cfg.sliding_window, positions, self._cache, layer, cfg.num_attention_heads)

    def _default(self, layer: int, T: int) -> Tensor | None:
        device = self._positions.device
        mask = self._cache.default_mask(layer, T, device, self._in_order)
        wanted = self._cfg.sliding_window or (self._explicit and T > 1)
        return causal_after(self._cache.seq_len(layer), T, device) if mask is None and wanted else mask

    def _checked(self, mask: Tensor | None, T: int, keys: Tensor) -> Tensor:
        return over_everything(mask, self._batch, self._cfg.num_attention_heads, T, keys.shape[2]).to(keys.device)

    def _turn_for_sinks(self) -> tuple[Tensor, Tensor] | None:
        """Cosine and sine of what queries are turned by once more where the sinks see them; turns add up."""
        turn = self._cache.turn_for_sinks(self._positions)
        if turn is None:
            return None
        inv_freq, _ = rope_frequencies(self._cfg.head_dim, self._cfg.rope_theta, self._cfg.rope_scaling)
        return rope_cos_sin(turn, inv_freq.to(turn.device), torch.float32)
