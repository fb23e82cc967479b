"""en: Both halves are sums; without the minus sign in the first half it is no rotation, and lengths change.
zh: 两半都是相加；前一半少了负号就不是旋转，长度会变。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = new_positions - old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos + second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
