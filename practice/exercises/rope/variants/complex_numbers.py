"""A pair is a complex number, and turning it a product; in double precision."""

import torch


def rope(x, positions, base):
    D = x.shape[-1]
    frequencies = torch.tensor([base ** (-2 * i / D) for i in range(D // 2)], dtype=torch.float64)
    angles = torch.outer(positions.double(), frequencies)
    turned = torch.complex(*x.double().chunk(2, dim=-1)) * torch.exp(1j * angles)
    return torch.cat([turned.real, turned.imag], dim=-1).to(x.dtype)
