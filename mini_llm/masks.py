"""Masks: bool, True = may attend. What callers may pass, and what a family's window takes away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor

if TYPE_CHECKING:
    from .kv_cache import KVCache


def causal_after(S: int, T: int, device: torch.device) -> Tensor:
    """bool ``[T, S + T]``: every one of S cached slots, and causal among the T new tokens."""
    return torch.ones(T, S + T, dtype=torch.bool, device=device).tril(S)


def check_mask(mask: Tensor | None, batch: int, num_heads: int, T: int, keys: int) -> Tensor:
    """Raise ValueError unless mask is bool ``[T, keys]``, ``[n_heads, T, keys]`` or ``[B, 1 or n_heads, T, keys]``
    and lets every query attend to something."""
    if not isinstance(mask, Tensor) or mask.dtype != torch.bool:
        found = getattr(mask, "dtype", type(mask).__name__)
        raise ValueError(f"a mask is a bool tensor (True = may attend), got {found}")
    if tuple(mask.shape[-2:]) != (T, keys):
        raise ValueError(f"a mask for {T} new tokens over {keys} keys ends in ({T}, {keys}), got {tuple(mask.shape)}")
    allowed = ((), (1,), (num_heads,), (1, 1), (1, num_heads), (batch, 1), (batch, num_heads))
    if tuple(mask.shape[:-2]) not in allowed:
        raise ValueError(
            f"a mask of shape {tuple(mask.shape)} fits neither the {num_heads} query heads nor the batch of {batch}"
        )
    return _seeing(mask)


def over_everything(mask: Tensor | None, batch: int, num_heads: int, T: int, keys: int) -> Tensor:
    """A checked mask over all ``keys``: one of ``[T, T]`` gets columns of True for the cached slots before it."""
    if isinstance(mask, Tensor) and tuple(mask.shape) == (T, T) and keys > T:
        mask = torch.cat((mask.new_ones(T, keys - T), mask), dim=1)
    return check_mask(mask, batch, num_heads, T, keys)


def within_window(mask: Tensor, window: int, positions: Tensor, cache: KVCache, layer: int, num_heads: int) -> Tensor:
    """The mask less the keys that lie ``window`` or more positions behind their query: a window of W is self + W - 1.

    positions: int64 ``[1 or B, T]`` of the new tokens. Returns ``[1 or B, 1 or n_heads, T, S + T]``. Raises ValueError
    where the cache's positions are unknown, or a query is left with nothing to attend to.
    """
    new = positions[:, None]  # [1 or B, 1, T]
    held = cache.positions(layer) if cache.seq_len(layer) else positions[:, :0]
    held = held if held.dim() == 3 else held[:, None]  # [B, n_kv or 1, S]
    rows, kv_heads = max(len(held), len(new)), held.shape[1]
    keys = torch.cat((held.expand(rows, -1, -1), new.expand(rows, kv_heads, -1)), dim=2)
    near = new[..., None] - keys[:, :, None] < window
    if kv_heads > 1:
        near = near.repeat_interleave(num_heads // kv_heads, dim=1)
    return _seeing(mask & near)


def _seeing(mask: Tensor) -> Tensor:
    blind = ~mask.any(dim=-1)
    if bool(blind.any()):
        raise ValueError(f"query {blind.nonzero()[0].tolist()} of the mask may attend to nothing")
    return mask
