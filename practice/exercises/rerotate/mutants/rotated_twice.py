"""en: Rotates by the new position what is rotated by the old one already: the key ends up at old + new.
zh: key 已经按旧位置转过，又按新位置转了一次：结果落在了旧位置加新位置上。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = new_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
