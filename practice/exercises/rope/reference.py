"""Reference: one angle for each token and pair, in float32; x is promoted by the products and rounded at the end."""

import torch
from torch import Tensor


def rope(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """Turn x ``[B, H, T, D]`` by its positions ``[T]`` (Su et al., 2021); dimension i is paired with i + D/2."""
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)  # radians per position, [D / 2]
    angles = positions[:, None] * frequencies  # [T, D / 2]
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
