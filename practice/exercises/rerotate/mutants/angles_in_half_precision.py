"""en: Computes the angles in the dtype of k: bfloat16 makes 1,000 of a shift of 1,001, a whole radian too little.
zh: 用 k 的 dtype 计算角度：bfloat16 会把位移 1,001 变成 1,000，少转了整整 1 弧度。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = new_positions - old_positions
    angles = shift[:, None].to(k.dtype) * frequencies.to(k.dtype)
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
