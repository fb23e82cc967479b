"""en: Has cos and sin in each other's place: even at position 0, where nothing should turn, every pair does.
zh: cos 和 sin 用反了：连本该不动的位置 0，每一对也都转了。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * sin - second * cos, first * cos + second * sin], dim=-1).to(x.dtype)
