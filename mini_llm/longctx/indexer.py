"""A lightning indexer (DeepSeek-V3.2): a small scorer, one for a whole layer, that learns where attention lies."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..attention import SelfAttention
from ..model import Transformer
from ..rope import apply_rope, rope_cos_sin, rope_frequencies
from .probe import LayerQKV, capture_qkv


class LightningIndexer(nn.Module):
    """Scores ``sum over heads of weight * ReLU(q . k)``, with one index key a token that all heads share.

    q, k and the heads' weights come from the attention's input; k is layer-normed; the first half of q's and k's
    dimensions is turned by RoPE. All as in DeepSeek-V3.2-Exp, which has 64 heads of 128 dimensions, takes q from MLA's
    latent, and turns and rounds both to FP8; here the few heads stand in for them.
    """

    def __init__(self, hidden_size: int, heads: int, dim: int, base: float, generator: torch.Generator) -> None:
        super().__init__()
        if dim % 4:
            raise ValueError(f"dim={dim} must be a multiple of 4: half of it is turned in pairs")
        self.heads, self.dim = heads, dim
        self.q_proj, self.k_proj, self.w_proj = (_linear(hidden_size, n, generator) for n in (heads * dim, dim, heads))
        self.k_norm = nn.LayerNorm(dim)
        self._inv_freq, _ = rope_frequencies(dim // 2, base)

    def forward(self, x: Tensor, T: int | None = None) -> Tensor:
        """Scores of the last T tokens (default: all) of x ``[S, hidden]``: ``[T, S]``, -inf where not causal."""
        S = len(x)
        T = S if T is None else T
        x = F.rms_norm(x, x.shape[-1:])
        cos, sin = rope_cos_sin(torch.arange(S, device=x.device), self._inv_freq.to(x.device), x.dtype)
        q = self._turned(
            self.q_proj(x[-T:]).view(T, self.heads, self.dim).transpose(0, 1), cos[0, :, -T:], sin[0, :, -T:]
        )
        k = self._turned(self.k_norm(self.k_proj(x))[None], cos[0], sin[0])
        weights = self.w_proj(x[-T:]).mT * (self.heads * self.dim) ** -0.5  # [H, T]
        scores = (weights[..., None] * (q @ k.mT).relu()).sum(0)
        return scores.masked_fill(~torch.ones_like(scores, dtype=torch.bool).tril(S - T), -torch.inf)

    def _turned(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        """x ``[H, T, dim]`` with its first half turned."""
        half = self.dim // 2
        return torch.cat((apply_rope(x[..., :half], cos, sin), x[..., half:]), dim=-1)


def distill(
    indexer: LightningIndexer, batches: Iterable[tuple[Tensor, Tensor]], steps: int, rate: float
) -> list[float]:
    """Train for ``steps`` steps on (x ``[S, hidden]``, target ``[T, S]``) pairs; returns the loss of each.

    target: the layer's attention weights, mean over heads, of the last T tokens. The loss is KL(target || softmax of
    the scores), as in DSA's warm-up, during which the model itself stays as it is. The rate falls linearly to 0.
    """
    optimiser = torch.optim.Adam(indexer.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: 1 - step / steps)
    losses = []
    for x, target in islice(batches, steps):
        scores = indexer(x, len(target))
        log_found = scores.log_softmax(-1).masked_fill(scores == -torch.inf, 0.0)
        loss = (torch.xlogy(target, target) - target * log_found).sum(-1).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        schedule.step()
        losses.append(loss.item())
    return losses


@torch.no_grad()
def capture_inputs(model: Transformer, ids: Tensor) -> tuple[list[Tensor], list[LayerQKV]]:
    """For ids ``[T]``, what each layer's attention is given, normed ``[T, hidden]``, and its q, k and v."""
    inputs: list[Tensor] = []
    hooks = [
        module.register_forward_pre_hook(lambda _, args: inputs.append(args[0][0].clone()))
        for module in model.modules()
        if isinstance(module, SelfAttention)
    ]
    try:
        layers = capture_qkv(model, ids)
    finally:
        for hook in hooks:
            hook.remove()
    return inputs, layers


def _linear(inputs: int, outputs: int, generator: torch.Generator) -> nn.Linear:
    layer = nn.Linear(inputs, outputs, bias=False)
    with torch.no_grad():
        layer.weight.normal_(std=inputs**-0.5, generator=generator)
    return layer
