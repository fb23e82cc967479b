"""en: Takes slot j to stand at position j; after an eviction it does not, and `old_positions` says where it stands.
zh: 以为第 j 个槽位就在位置 j；淘汰之后并非如此，它在哪里由 `old_positions` 给出。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = new_positions - torch.arange(len(old_positions))
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
