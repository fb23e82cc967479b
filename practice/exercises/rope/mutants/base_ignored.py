"""en: Takes 10,000 for the base whatever the caller says; models differ in it.
zh: 不管调用者给的 base 是多少都用 10,000；不同的模型 base 不同。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = 10000.0 ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
