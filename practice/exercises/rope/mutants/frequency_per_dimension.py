"""en: Gives each of the D dimensions its own frequency, base ** (-j / D); the two of a pair share one.
zh: 给 D 维中的每一维各配一个频率 base ** (-j / D)；一对的两维应当共用一个。
"""

import torch


def rope(x, positions, base):
    D = x.shape[-1]
    frequencies = base ** (-torch.arange(D) / D)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    rotated = torch.cat([-second, first], dim=-1)
    return (x * cos + rotated * sin).to(x.dtype)
