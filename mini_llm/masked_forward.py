"""One forward pass under any mask: chunked eviction, tree verification and per-query sparsity in one function."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .cached_attention import CachedAttention, Observe, Select
from .kv_cache import KVCache, check_positions
from .model import LogitsFor, Transformer


@torch.no_grad()
def forward_with_mask(
    model: Transformer,
    ids: Tensor,
    positions: Tensor,
    cache: KVCache,
    mask: Tensor | Sequence[Tensor] | Select,
    logits_for: LogitsFor = None,
    observe: Observe | None = None,
) -> tuple[Tensor, list[tuple[Tensor, Tensor]]]:
    """Logits of T new tokens that attend where the mask says. The cache is read, not changed.

    ids: int64 ``[T]``. positions: int64 ``[T]``, in the text. cache: S slots a layer, perhaps none.
    mask: bool, True = may attend. ``[T, T]`` rules among the new tokens, which all see the whole cache;
    ``[T, S + T]`` or ``[n_heads, T, S + T]`` rules over cache and new tokens; a list has one such mask a layer;
    a function ``select(layer, q, k)`` returns one from the layer's own rotated queries and keys. A family's window
    narrows whatever the mask allows.
    observe: ``observe(layer, weights)`` is handed each layer's attention weights, ``[1, n_heads, T, S + T]``.
    Returns logits ``[T or len(logits_for), vocab]`` and, for each layer, the new ``(k, v)``, each
    ``[1, n_kv, T, D]`` in memory of its own: hand them to ``cache.update`` to keep them.
    Raises ValueError naming the shape that does not fit.
    """
    if ids.dim() != 1 or positions.shape != ids.shape:
        raise ValueError(f"ids and positions must both be [T], got {tuple(ids.shape)} and {tuple(positions.shape)}")
    model.check_inputs(ids, cache)
    check_positions(positions, 1, len(ids))
    on_device = positions[None].to(model.device)
    new_kv: list[tuple[Tensor, Tensor]] = []
    attend = CachedAttention(model.cfg, cache, 1, on_device, mask, observe)

    def attend_and_note(layer: int, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        new_kv.append((_own(k), _own(v)))
        return attend(layer, q, k, v)

    logits = model.run(ids[None], on_device, attend_and_note, logits_for)
    return logits[0], new_kv


def _own(tensor: Tensor) -> Tensor:
    return tensor.clone(memory_format=torch.contiguous_format)
