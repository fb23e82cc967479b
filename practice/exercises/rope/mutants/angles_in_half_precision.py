"""en: Computes angles in the dtype of x: bfloat16 turns position 1,001 into 1,000, and a whole radian is lost.
zh: 用 x 的 dtype 计算角度：bfloat16 表示不了 257，位置 1,001 会变成 1,000，差了整整 1 弧度。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None].to(x.dtype) * frequencies.to(x.dtype)
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
