"""en: Turns all slots by the first one's shift; after an eviction a sink stays where it is, and the window moves.
zh: 所有槽位都按第一个槽位的位移来转；淘汰之后 sink 原地不动，移动的是窗口。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = (new_positions - old_positions)[:1].expand(len(old_positions))
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
