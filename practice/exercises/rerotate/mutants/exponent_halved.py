"""en: Pair i turns by base ** (-i / D): the 2 of 2i / D is missing, and the slow pairs turn too fast.
zh: 第 i 对的频率成了 base ** (-i / D)：漏了 2i / D 中的 2，慢的那些对转得太快。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half / 2)
    shift = new_positions - old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
