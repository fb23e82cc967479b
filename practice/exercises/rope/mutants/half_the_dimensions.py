"""en: Turns only the first D/2 dimensions, as models with partial rotary embedding do; all D are to turn.
zh: 只旋转了前 D/2 维，那是部分旋转（partial rotary）模型的做法；这里 D 维都要转。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 4
    frequencies = base ** (-torch.arange(half) / max(1, half))
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second, rest = x[..., :half], x[..., half : 2 * half], x[..., 2 * half :]
    return torch.cat([first * cos - second * sin, first * sin + second * cos, rest], dim=-1).to(x.dtype)
