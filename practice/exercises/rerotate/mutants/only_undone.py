"""en: Undoes the old rotation and stops there: every key stands at position 0.
zh: 只撤销了旧的旋转就停了：所有 key 都落在位置 0。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = -old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
