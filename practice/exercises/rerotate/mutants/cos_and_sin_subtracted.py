"""en: Subtracts the cosines and the sines of both angles; it is the angles that are to be subtracted.
zh: 把两个角的 cos、sin 分别相减；应当相减的是角度。
"""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = base ** (-torch.arange(half) / half)
    angles = [positions[:, None] * frequencies for positions in (new_positions, old_positions)]
    cos, sin = (turn(angles[0]) - turn(angles[1]) for turn in (torch.cos, torch.sin))
    first, second = k.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, first * sin + second * cos], dim=-1).to(k.dtype)
