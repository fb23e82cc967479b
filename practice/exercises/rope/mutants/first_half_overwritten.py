"""en: Overwrites the first half and then computes the second from it; both need the old first half.
zh: 先覆盖了前一半，再用它去算后一半；两半都要用旧的前一半来算。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    first = first * cos - second * sin
    second = first * sin + second * cos
    return torch.cat([first, second], dim=-1).to(x.dtype)
