"""en: Overwrites the first half and then computes the second from it; both need the old first half.
zh: 先覆盖了前一半，再用它去算后一半；两半都要用旧的前一半来算。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    old, new = old_positions[:, None] * frequencies, new_positions[:, None] * frequencies
    first, second = k.float().chunk(2, dim=-1)
    first = first * old.cos() + second * old.sin()
    second = second * old.cos() - first * old.sin()
    turned = [first * new.cos() - second * new.sin(), first * new.sin() + second * new.cos()]
    return torch.cat(turned, dim=-1).to(k.dtype)
