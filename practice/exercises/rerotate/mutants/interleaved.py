"""en: Pairs neighbours, 2i with 2i + 1; these keys were rotated in halves, i with i + D/2.
zh: 把相邻的 2i 和 2i + 1 配成一对；这些 key 是前后各半配对旋转的：i 与 i + D/2。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = new_positions - old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k[..., ::2], k[..., 1::2]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2).to(k.dtype)
