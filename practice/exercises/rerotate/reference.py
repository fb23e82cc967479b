"""Reference: rotations add up, so undoing the old one and applying the new one is one turn by their difference."""

import torch
from torch import Tensor


def rerotate(k: Tensor, old_positions: Tensor, new_positions: Tensor, base: float) -> Tensor:
    """Move k ``[B, n_kv, S, D]`` from old to new positions ``[S]``; float32 inside, rounded once."""
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)  # radians per position, [D / 2]
    angles = (new_positions - old_positions)[:, None] * frequencies  # [S, D / 2]
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
