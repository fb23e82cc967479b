"""Rotary position embeddings (Su et al. 2021, RoFormer), half-split pairing: dimension i turns with i + D/2."""

from __future__ import annotations

import torch
from torch import Tensor


def inverse_frequencies(head_dim: int, base: float) -> Tensor:
    """Radians a pair turns per position: ``base ** (-2i / head_dim)``, fp32 ``[head_dim / 2]`` on the CPU."""
    return 1.0 / base ** (torch.arange(0, head_dim, 2, dtype=torch.float32, device="cpu") / head_dim)


def rope_cos_sin(positions: Tensor, inv_freq: Tensor, dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Cosine and sine of every angle.

    positions: int64 ``[T]`` or ``[B, T]``; inv_freq: fp32 ``[D/2]``.
    Returns two tensors ``[1 or B, 1, T, D/2]`` in ``dtype``. The angles themselves are fp32 whatever the dtype:
    in bf16 most positions above 256 would be rounded before they turned anything.
    """
    angles = positions.reshape(-1, 1, positions.shape[-1], 1).float() * inv_freq
    return angles.cos().to(dtype), angles.sin().to(dtype)


def apply_rope(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn x ``[B, H, T, D]`` by the angles behind cos, sin ``[1 or B, 1, T, D/2]``; same shape and dtype."""
    first, second = x.chunk(2, dim=-1)
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)
