"""en: Pairs halves but repeats each angle twice in a row, as for neighbours: the two of a pair get different angles.
zh: 按前后各半配对，角度却按相邻配对排列（每个角度连续重复两次），于是一对的两维转过的角度不同。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = ((new_positions - old_positions)[:, None] * frequencies).repeat_interleave(2, dim=-1)
    rotated = torch.cat([-k[..., half:], k[..., :half]], dim=-1)
    return (k * angles.cos() + rotated * angles.sin()).to(k.dtype)
