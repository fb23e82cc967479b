"""As transformers writes it, but with cos and sin left in float32: x cos + rotate_half(x) sin."""

import torch


def rotate_half(x):
    first, second = x[..., : x.shape[-1] // 2], x[..., x.shape[-1] // 2 :]
    return torch.cat((-second, first), dim=-1)


def rope(x, positions, base):
    inv_freq = 1.0 / (base ** (torch.arange(0, x.shape[-1], 2, dtype=torch.float32) / x.shape[-1]))
    angles = (inv_freq[:, None] @ positions[None].float()).T
    angles = torch.cat((angles, angles), dim=-1)[None, None]
    return (x.float() * angles.cos() + rotate_half(x.float()) * angles.sin()).to(x.dtype)
