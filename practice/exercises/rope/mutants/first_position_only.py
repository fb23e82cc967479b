"""en: Reads the first position and counts on from there; positions may have gaps, repeat, or come in any order.
zh: 只读了第一个位置，然后往后逐个数；位置可能有缺口、重复，或者无序。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = (positions[:1] + torch.arange(len(positions)))[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
