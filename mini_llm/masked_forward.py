"""One forward pass under any mask: chunked eviction, tree verification and per-query sparsity in one function."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from .attention import grouped_attention
from .kv_cache import KVCache, check_positions
from .masks import over_everything, within_window
from .model import LogitsFor, Transformer

Select = Callable[[int, Tensor, Tensor], Tensor]
"""(layer, q ``[1, n_heads, T, D]``, k ``[1, n_kv, S + T, D]``) -> bool mask, chosen inside the pass.

k is a view of the cache's memory: read it, and keep no reference to it.
"""


@torch.no_grad()
def forward_with_mask(
    model: Transformer,
    ids: Tensor,
    positions: Tensor,
    cache: KVCache,
    mask: Tensor | Sequence[Tensor] | Select,
    logits_for: LogitsFor = None,
) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    """Logits of T new tokens that attend where the mask says. The cache is read, not changed.

    ids: int64 ``[T]``. positions: int64 ``[T]``, in the text. cache: S slots a layer, perhaps none.
    mask: bool, True = may attend. ``[T, T]`` rules among the new tokens, which all see the whole cache;
    ``[T, S + T]`` or ``[n_heads, T, S + T]`` rules over cache and new tokens; a list has one such mask a layer;
    a function ``select(layer, q, k)`` returns one from the layer's own rotated queries and keys. A family's window
    narrows whatever the mask allows.
    Returns logits ``[T or len(logits_for), vocab]`` and, for each layer, the new ``(k, v)``, each
    ``[1, n_kv, T, D]`` in memory of its own: hand them to ``cache.update`` to keep them.
    Raises ValueError naming the shape that does not fit.
    """
    if ids.dim() != 1 or positions.shape != ids.shape:
        raise ValueError(f"ids and positions must both be [T], got {tuple(ids.shape)} and {tuple(positions.shape)}")
    model.check_inputs(ids, cache)
    T, heads = len(ids), model.cfg.num_attention_heads
    check_positions(positions, 1, T)
    masks = mask if isinstance(mask, Tensor) or callable(mask) else list(mask)
    if isinstance(masks, list) and len(masks) != len(cache):
        raise ValueError(f"{len(masks)} masks for {len(cache)} layers")
    on_device = positions[None].to(model.device)
    new_kv: list[tuple[Tensor, Tensor]] = []
    ready: dict[tuple[int, int], Tensor] = {}  # a mask that several layers share is checked and widened once

    def mask_of(layer: int, q: Tensor, k: Tensor) -> Tensor:
        if not isinstance(masks, Tensor | list):
            return over_everything(masks(layer, q, k), heads, T, k.shape[2]).to(q.device)
        chosen = masks if isinstance(masks, Tensor) else masks[layer]
        key = (id(chosen), k.shape[2])
        if key not in ready:
            ready[key] = over_everything(chosen, heads, T, k.shape[2]).to(q.device)
        return ready[key]

    def attend(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        new_kv.append((k.contiguous(), v.contiguous()))
        all_k, all_v = cache.peek(layer, k, v)
        chosen = mask_of(layer, q, all_k)
        if model.cfg.sliding_window:
            chosen = within_window(chosen, model.cfg.sliding_window, on_device, cache, layer)
        return grouped_attention(q, all_k, all_v, chosen)

    logits = model.run(ids[None], on_device, attend, logits_for)
    return logits[0], new_kv
