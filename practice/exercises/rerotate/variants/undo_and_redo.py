"""Turn back by the old position, forward by the new one; in double precision in between, rounded once."""

import torch


def turned(k, positions, base):
    D = k.shape[-1]
    angles = torch.outer(positions.double(), base ** (-torch.arange(0, D, 2, dtype=torch.float64) / D))
    angles = torch.cat([angles, angles], dim=-1)
    return k * angles.cos() + torch.cat([-k[..., D // 2 :], k[..., : D // 2]], dim=-1) * angles.sin()


def rerotate(k, old_positions, new_positions, base):
    return turned(turned(k.double(), -old_positions, base), new_positions, base).to(k.dtype)
