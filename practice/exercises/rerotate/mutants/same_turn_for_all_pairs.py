"""en: Turns every pair by the whole shift; pair i turns base ** (-2i / D) radians per position.
zh: 每一对都按整个位移来转；第 i 对每个位置只转 base ** (-2i / D) 弧度。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.zeros(half))
    shift = new_positions - old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
