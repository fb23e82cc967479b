"""en: Turns all slots by the newest one's shift; the sinks do not move with the window, each slot has its own shift.
zh: 所有槽位都按最新槽位的位移来转；sink 并不随窗口移动，每个槽位的位移各不相同。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = (new_positions - old_positions)[-1:].expand(len(old_positions))
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
