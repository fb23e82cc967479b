"""en: Pairs neighbours, 2i with 2i + 1, and returns them in halves; both in and out, i is paired with i + D/2.
zh: 取相邻的 2i 和 2i + 1 配对，结果却按前后各半放回；输入和输出都应当是 i 与 i + D/2 配对。
"""

import torch


def rope(x, positions, base):
    half = x.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = positions[:, None] * frequencies
    cos, sin = angles.cos(), angles.sin()
    first, second = x[..., ::2], x[..., 1::2]
    turned = [first * cos - second * sin, first * sin + second * cos]
    return torch.cat(turned, dim=-1).to(x.dtype)
