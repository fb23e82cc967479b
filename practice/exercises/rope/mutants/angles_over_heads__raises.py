"""en: Lines the angles up with the heads, as for x of shape [B, T, H, D]; here the tokens are dimension 2.
zh: 角度对齐到了头的那一维，那是 x 形状为 [B, T, H, D] 时的写法；这里 token 在第 2 维。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = (positions[:, None] * frequencies)[:, None]
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
