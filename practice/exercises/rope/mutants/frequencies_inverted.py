"""en: Multiplies positions by base ** (2i / D): the sign of the exponent is lost, and the slow pairs are the fastest.
zh: 位置乘的是 base ** (2i / D)：指数的负号丢了，本该最慢的那些对成了最快的。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
