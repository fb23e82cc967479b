"""Multiply each pair, a complex number, by exp(i new) and divide it by exp(i old)."""

import torch


def rerotate(k, old_positions, new_positions, base):
    half = k.shape[-1] // 2
    frequencies = torch.logspace(0, -(half - 1) / half, half, base=base, dtype=torch.float64)
    old, new = (torch.exp(1j * torch.outer(each.double(), frequencies)) for each in (old_positions, new_positions))
    moved = torch.complex(*k.double().tensor_split(2, dim=-1)) * new / old
    return torch.cat([moved.real, moved.imag], dim=-1).to(k.dtype)
