"""en: Counts pairs from 1: the first pair is to turn a whole radian per position, so i begins at 0.
zh: 配对从 1 数起；第一对每个位置应当转整整 1 弧度，所以 i 从 0 开始。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(1, half + 1) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
