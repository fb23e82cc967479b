"""en: Undoing a rotation means turning by -old; this turns by +old again, and then by new.
zh: 撤销旋转应当转 -old；这里又转了一次 +old，然后再转 new。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = new_positions + old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
