"""Token by token, pair by pair, with the math module."""

import math

import torch


def rope(x, positions, base):
    D = x.shape[-1]
    out = torch.empty_like(x, dtype=torch.float32)
    for t, position in enumerate(positions.tolist()):
        for i in range(D // 2):
            angle = position / math.pow(base, 2 * i / D)
            one, other = x[:, :, t, i].float(), x[:, :, t, i + D // 2].float()
            out[:, :, t, i] = math.cos(angle) * one - math.sin(angle) * other
            out[:, :, t, i + D // 2] = math.sin(angle) * one + math.cos(angle) * other
    return out.to(x.dtype)
