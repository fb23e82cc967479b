"""en: The angles are right, but cos, sin or products are rounded to the dtype of x; round the result only.
zh: 角度是对的，但 cos、sin 或乘积先舍入到了 x 的 dtype；只有最后的结果才该舍入。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
