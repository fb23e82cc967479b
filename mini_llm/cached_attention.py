"""How the layers of one forward pass read a cache: which keys each query sees, and how."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor

from .attention import additive, attention_weights, grouped_attention, weighted_values
from .config import ModelConfig
from .kv_cache import KVCache
from .masks import causal_after, over_everything, within_window
from .rope import apply_rope, rope_cos_sin, rope_frequencies

Select = Callable[[int, Tensor, Tensor], Tensor]
"""(layer, q ``[B, n_heads, T, D]``, k ``[B, n_kv, S + T, D]``) -> what to read, chosen inside the pass.

Either a bool mask, or, for one new token of one text, the slots themselves: int64 ``[n_heads, K]`` or ``[n_kv, K]``,
distinct in each row. Of other slots nothing is then read, which a mask cannot promise.
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
        check: Callable[[Tensor | None, int, int, int, int], Tensor] = over_everything,
    ) -> None:
        self._cfg, self._cache, self._batch, self._positions, self._observe = cfg, cache, batch, positions, observe
        self._check = check
        self._select: Select | None = None
        self._masks: Tensor | list[Tensor] | None = None
        if masks is None or isinstance(masks, Tensor):
            self._masks = masks
        elif callable(masks):
            self._select = masks
        else:
            self._masks = list(masks)
        if isinstance(self._masks, list) and len(self._masks) != len(cache):
            raise ValueError(f"{len(self._masks)} masks for {len(cache)} layers")
        self._in_order = masks is not None or cfg.sliding_window is not None or observe is not None
        self._turn = self._turn_for_sinks()
        self._explicit = observe is not None or self._turn is not None
        self._ready: dict[tuple[object, ...], Tensor | None] = {}

    def __call__(self, layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Output ``[B, n_heads, T, D]`` of one layer; q, k, v of the new tokens, turned to their positions."""
        keys, values = self._cache.peek(layer, k, v, self._in_order)
        if self._select is not None:
            chosen = self._select(layer, q, keys)
            if isinstance(chosen, Tensor) and chosen.dtype is torch.int64:
                return grouped_attention(q, *self._slots(layer, chosen, q, keys, values))
            mask: Tensor | None = self._narrowed(layer, self._checked(chosen, q.shape[2], keys))
        else:
            mask = self._mask(layer, q.shape[2], q.dtype, keys)
        if not self._explicit:
            return grouped_attention(q, keys, values, mask, causal=mask is None and q.shape[2] > 1)
        for_sinks = None if self._turn is None else apply_rope(q, *self._turn)
        weights = attention_weights(q, keys, mask, for_sinks, self._cache.sinks)
        if self._observe is not None:
            self._observe(layer, weights)
        return weighted_values(weights, values)

    def _mask(self, layer: int, T: int, dtype: torch.dtype, keys: Tensor) -> Tensor | None:
        """A layer's mask in the form that its attention wants; None when nothing is hidden, or causal alone."""
        given = self._masks[layer] if isinstance(self._masks, list) else self._masks
        shared = (id(given), *self._cache.layout(layer))
        if shared not in self._ready:
            mask = self._default(layer, T) if self._masks is None else self._checked(given, T, keys)
            if mask is not None and not self._cfg.sliding_window and not self._explicit:
                mask = additive(mask, self._cfg.num_attention_heads, self._cfg.num_key_value_heads, dtype)
            self._ready[shared] = mask
        mask = self._ready[shared]
        return mask if mask is None else self._narrowed(layer, mask)

    def _narrowed(self, layer: int, mask: Tensor) -> Tensor:
        if not self._cfg.sliding_window:
            return mask
        positions = self._positions.view(-1, mask.shape[-2])
        heads = self._cfg.num_attention_heads
        return within_window(mask, self._cfg.sliding_window, positions, self._cache, layer, heads)

    def _slots(self, layer: int, chosen: Tensor, q: Tensor, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """The chosen slots' K and V alone, ``[1, n_heads or n_kv, K, D]``."""
        if self._explicit or self._cfg.sliding_window or q.shape[0] * q.shape[2] != 1:
            raise ValueError("slots can be chosen for one new token, without observe, window or in-cache positions")
        heads, kv_heads, S = q.shape[1], keys.shape[1], keys.shape[2]
        if chosen.dim() != 2 or len(chosen) not in (heads, kv_heads) or not chosen.shape[1]:
            raise ValueError(f"chosen slots are [{heads} or {kv_heads}, K], got shape {tuple(chosen.shape)}")
        ordered = chosen.sort(dim=-1).values
        low, high = int(ordered[:, 0].min()), int(ordered[:, -1].max())
        if low < 0 or high >= S:
            raise IndexError(f"chosen slots {low}..{high} are outside the {S} there are")
        if bool((ordered[:, 1:] == ordered[:, :-1]).any()):
            raise ValueError("a slot can be chosen once in each row")
        rows = torch.arange(len(chosen), device=chosen.device) // (len(chosen) // kv_heads)
        return _gather(keys, rows, chosen), _gather(values, rows, chosen)

    def _default(self, layer: int, T: int) -> Tensor | None:
        device = self._positions.device
        mask = self._cache.default_mask(layer, T, device, self._in_order)
        wanted = self._cfg.sliding_window or (self._explicit and T > 1)
        return causal_after(self._cache.seq_len(layer), T, device) if mask is None and wanted else mask

    def _checked(self, mask: Tensor | None, T: int, keys: Tensor) -> Tensor:
        return self._check(mask, self._batch, self._cfg.num_attention_heads, T, keys.shape[2]).to(keys.device)

    def _turn_for_sinks(self) -> tuple[Tensor, Tensor] | None:
        """Cosine and sine of what queries are turned by once more where the sinks see them; turns add up."""
        turn = self._cache.turn_for_sinks(self._positions)
        if turn is None:
            return None
        inv_freq, _ = rope_frequencies(self._cfg.head_dim, self._cfg.rope_theta, self._cfg.rope_scaling)
        return rope_cos_sin(turn, inv_freq.to(turn.device), torch.float32)


def _gather(held: Tensor, rows: Tensor, chosen: Tensor) -> Tensor:
    """Slots of held ``[1, n_kv, S, D]``: of KV head rows[i], those in chosen[i]; ``[1, len(rows), K, D]``.

    Over one flat list of slots, which PyTorch gathers three times as fast as over two indices.
    """
    kv_heads, S, D = held.shape[1:]
    per_head = held.stride(1) // D
    flat = held.as_strided(((kv_heads - 1) * per_head + S, D), (D, 1))
    return F.embedding(rows[:, None] * per_head + chosen, flat)[None]
