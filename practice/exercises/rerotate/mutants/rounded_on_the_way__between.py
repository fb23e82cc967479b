"""en: Rounds to the dtype of k on the way (cos and sin, products, or a key between two turns); do so once, at the end.
zh: 中途就舍入到了 k 的 dtype：cos 和 sin、乘积，或者两次旋转之间的 key；只该在最后舍入一次。
"""

import torch


def turned(k, angles):
    first, second = k.float().chunk(2, dim=-1)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    plain = turned(k, -old_positions[:, None] * frequencies)
    return turned(plain, new_positions[:, None] * frequencies)
