"""From one table of cos and sin, as an engine caches it: the difference by the addition theorems, all in float32."""

import torch


def rerotate(k, old_positions, new_positions, base):
    D = k.shape[-1]
    longest = max([0, *old_positions.tolist(), *new_positions.tolist()])
    inv_freq = 1.0 / base ** (torch.arange(0, D, 2, dtype=torch.float32) / D)
    table = torch.outer(torch.arange(longest + 1, dtype=torch.float32), inv_freq)
    cos, sin = table.cos(), table.sin()
    shift_cos = cos[new_positions] * cos[old_positions] + sin[new_positions] * sin[old_positions]
    shift_sin = sin[new_positions] * cos[old_positions] - cos[new_positions] * sin[old_positions]
    rotated = torch.cat([-k[..., D // 2 :], k[..., : D // 2]], dim=-1)
    return (k * shift_cos.repeat(1, 2) + rotated * shift_sin.repeat(1, 2)).to(k.dtype)
