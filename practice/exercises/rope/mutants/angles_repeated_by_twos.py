"""en: Pairs halves but repeats each angle twice in a row, as for neighbours: the two of a pair get different angles.
zh: 按前后各半配对，角度却按相邻配对排列（每个角度连续重复两次），于是一对的两维转过的角度不同。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = (positions[:, None] * frequencies).repeat_interleave(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    rotated = torch.cat([-second, first], dim=-1)
    return (x * cos + rotated * sin).to(x.dtype)
