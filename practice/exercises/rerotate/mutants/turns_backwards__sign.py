"""en: Turns by old - new (or has the minus sign in the wrong half): a key that should move from 8 to 2 lands on 14.
zh: 按 old - new 转（或者负号放错了一半）：应当从 8 移到 2 的 key 落到了 14。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = new_positions - old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos + second * sin, second * cos - first * sin], dim=-1).to(k.dtype)
