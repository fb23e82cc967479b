"""en: Takes the size of the shift without its sign: keys that move toward the start turn the wrong way.
zh: 只取了位移的大小，丢了符号：往前移的 key 转错了方向。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    shift = (new_positions - old_positions).abs()
    angles = shift[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
