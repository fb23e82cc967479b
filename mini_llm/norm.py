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
        norm = torch.linalg.vector_norm(wide, dim=-1, keepdim=True)
        scale = norm.square().mul_(1 / x.shape[-1]).add_(self.eps).rsqrt_()
        fresh = wide is not x and not wide.requires_grad
        scaled = wide.mul_(scale) if fresh else wide * scale  # a second copy costs more than the arithmetic
        return scaled.to(x.dtype).mul_(self.weight)
