"""en: Multiplies the angles by 2 pi; base ** (-2i / D) is in radians already.
zh: 角度又乘了 2π；base ** (-2i / D) 的单位已经是弧度。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = 2 * torch.pi * positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
