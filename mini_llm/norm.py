"""RMSNorm (Zhang and Sennrich 2019)."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """``weight * x / sqrt(mean(x ** 2) + eps)`` over the last dimension; the mean is taken in fp32."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(size))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x.float()
        scale = wide.square().mean(dim=-1, keepdim=True).add_(self.eps).rsqrt_()
        return (wide * scale).to(x.dtype).mul_(self.weight)
