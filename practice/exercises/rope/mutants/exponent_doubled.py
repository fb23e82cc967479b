"""en: Pair i turns by base ** (-4i / D): the 2 of 2i / D is already in `arange(0, D, 2)`, or D was halved.
zh: 第 i 对的频率成了 base ** (-4i / D)：`arange(0, D, 2)` 里已经有 2i / D 的那个 2，或者把 D 减半了。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-2 * torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
