"""en: Both halves are sums; without the minus sign in the first half it is no rotation, and lengths change.
zh: 两半都是相加；前一半少了负号就不是旋转，长度会变。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos + second * sin, second * cos + first * sin], dim=-1).to(x.dtype)
