"""en: Rounds to the dtype of k on the way (cos and sin, products, or a key between two turns); do so once, at the end.
zh: 中途就舍入到了 k 的 dtype：cos 和 sin、乘积，或者两次旋转之间的 key；只该在最后舍入一次。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = new_positions - old_positions
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos().to(k.dtype), angles.sin().to(k.dtype)
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1)
