"""en: Only the first half is computed, the second comes back as it was; both dimensions of a pair turn.
zh: 只算了前一半，后一半原样返回；一对的两维都要转。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second], dim=-1).to(x.dtype)
