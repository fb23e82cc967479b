"""en: The halves come back in each other's place: what belongs to dimension i stands at i + D/2.
zh: 返回时前后两半对调了：第 i 维的结果放到了第 i + D/2 维。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * sin + second * cos, first * cos - second * sin], dim=-1).to(x.dtype)
