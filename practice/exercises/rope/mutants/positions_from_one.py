"""en: Adds 1 to every position: position 0 must leave x as it is.
zh: 每个位置都多加了 1：位置 0 应当让 x 保持不变。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = (positions[:, None] + 1) * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
