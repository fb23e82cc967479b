"""en: Takes 10,000 for the base whatever the caller says; it must be the base that the keys were rotated with.
zh: 不管调用者给的 base 是多少都用 10,000；必须用这些 key 当初旋转时的 base。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = 10000.0 ** (-torch.arange(half) / half)
    shift = new_positions - old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
