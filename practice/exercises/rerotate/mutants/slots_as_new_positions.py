"""en: Moves slot j to position j; where keys go is said by `new_positions`.
zh: 把第 j 个槽位移到了位置 j；移到哪里由 `new_positions` 决定。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = torch.arange(len(old_positions)) - old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
