"""Grouped-query attention: the projections of one layer, and the one function that mixes values."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .config import ModelConfig
from .fused import Fused, Linear
from .norm import RMSNorm
from .rope import apply_rope

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(q, k, v) of the new tokens -> output ``[B, n_heads, T, D]``. Whoever calls the model decides what q may look at."""


_FEW = 256  # up to so many queries, the heads of a group are stacked: K and V are then read once for all of them


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    """Softmax attention in which ``n_heads / n_kv`` query heads read one KV head (Ainslie et al. 2023, GQA).

    q ``[B, n_heads, T, D]``; k, v ``[B, n_kv, S, D]``; query head h reads KV head ``h // (n_heads // n_kv)``.
    mask: bool, True = may attend, ``[T, S]``, ``[n_heads, T, S]`` or ``[B, n_heads or 1, T, S]``, or what ``additive``
    makes of one; ``causal=True`` instead when T == S and query t sees keys 0..t. Scale is ``D ** -0.5``.
    Returns ``[B, n_heads, T, D]``. K and V are never repeated.
    """
    B, num_heads, T, D = q.shape
    num_kv_heads, S = k.shape[1], k.shape[2]
    group = num_heads // num_kv_heads
    if mask is not None and mask.dtype is torch.bool:
        mask = additive(mask, num_heads, num_kv_heads, q.dtype)
    if T <= _FEW and not causal:
        rows = q.reshape(B, num_kv_heads, group * T, D)
        return F.scaled_dot_product_attention(rows, k, v, mask).view(B, num_heads, T, D)
    if mask is not None and mask.dim() > 2:
        mask = mask.expand(B, num_heads, T, S).reshape(B * num_kv_heads, group, T, S)
    out = F.scaled_dot_product_attention(
        q.reshape(B * num_kv_heads, group, T, D),
        k.reshape(B * num_kv_heads, 1, S, D).expand(-1, group, -1, -1),
        v.reshape(B * num_kv_heads, 1, S, D).expand(-1, group, -1, -1),
        attn_mask=mask,
        is_causal=causal,
    )
    return out.view(B, num_heads, T, D)


def additive(mask: Tensor, num_heads: int, num_kv_heads: int, dtype: torch.dtype) -> Tensor:
    """A bool mask as 0 and -inf in the shape ``grouped_attention`` works in, so that several layers can share it."""
    T, S = mask.shape[-2:]
    group = num_heads // num_kv_heads
    if T <= _FEW and mask.dim() == 2:
        mask = mask.repeat(group, 1)
    elif T <= _FEW:
        by_head = mask.reshape(-1, mask.shape[-3], T, S).expand(-1, num_heads, T, S)
        mask = by_head.reshape(-1, num_kv_heads, group * T, S)
    return torch.zeros(mask.shape, dtype=dtype, device=mask.device).masked_fill_(~mask, -torch.inf)


def attention_weights(
    q: Tensor, k: Tensor, mask: Tensor | None = None, q_for_sinks: Tensor | None = None, sinks: int = 0
) -> Tensor:
    """The softmax itself, ``[B, n_heads, T, S]``, which ``grouped_attention`` never holds whole.

    Shapes and the bool mask as there. q_for_sinks: queries of q's shape that score the first ``sinks`` keys instead.
    """
    B, num_heads, T, D = q.shape
    num_kv_heads, S = k.shape[1], k.shape[2]
    scores = q.reshape(B, num_kv_heads, -1, D) @ k.mT
    if q_for_sinks is not None:
        seen = q_for_sinks.to(k.dtype).reshape(B, num_kv_heads, -1, D)
        scores[..., :sinks] = seen @ k[:, :, :sinks].mT
    scores = scores.view(B, num_heads, T, S).float() * D**-0.5
    if mask is not None:
        scores = scores.masked_fill(~mask, -torch.inf)
    return scores.softmax(dim=-1).to(q.dtype)


def weighted_values(weights: Tensor, v: Tensor) -> Tensor:
    """Attention weights ``[B, n_heads, T, S]`` over v ``[B, n_kv, S, D]`` -> ``[B, n_heads, T, D]``."""
    B, num_heads, T, S = weights.shape
    return (weights.reshape(B, v.shape[1], -1, S) @ v).view(B, num_heads, T, v.shape[3])


class SelfAttention(nn.Module):
    """One layer's attention. ``nh``, ``nkv``, ``hd`` are num_heads, num_kv_heads, head_dim.

    Its forward takes ``(x, cos, sin)`` positionally, so a forward pre-hook sees them: x ``[B, T, hidden]`` is the
    normed input. The projections are plain ``nn.Linear``; q_norm and k_norm are identities where a family has none.
    """

    def __init__(self, cfg: ModelConfig) -> None:
        super().__init__()
        self.nh, self.nkv, self.hd = cfg.num_attention_heads, cfg.num_key_value_heads, cfg.head_dim
        bias = cfg.family.qkv_bias
        self.q_proj = Linear(cfg.hidden_size, self.nh * self.hd, bias=bias)
        self.k_proj = Linear(cfg.hidden_size, self.nkv * self.hd, bias=bias)
        self.v_proj = Linear(cfg.hidden_size, self.nkv * self.hd, bias=bias)
        self.o_proj = Linear(self.nh * self.hd, cfg.hidden_size, bias=False)
        self._qkv, self._out = Fused(self, "q_proj", "k_proj", "v_proj"), Fused(self, "o_proj")
        self.normed = cfg.family.qk_norm
        self.q_norm = RMSNorm(self.hd, cfg.rms_norm_eps) if self.normed else nn.Identity()
        self.k_norm = RMSNorm(self.hd, cfg.rms_norm_eps) if self.normed else nn.Identity()

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, *, attend: Attend) -> Tensor:
        B, T, _ = x.shape
        heads = self._qkv(x).view(B, T, -1, self.hd).transpose(1, 2)  # [B, nh + 2 nkv, T, hd]
        q, k, v = torch.split(heads, [self.nh, self.nkv, self.nkv], dim=1)
        if self.normed:
            heads = torch.cat((self.q_norm(q), self.k_norm(k)), dim=1)
        turned = apply_rope(heads[:, : self.nh + self.nkv], cos, sin)
        q, k = torch.split(turned, [self.nh, self.nkv], dim=1)
        out = attend(q, k, v)
        return self._out(out.transpose(1, 2).reshape(B, T, self.nh * self.hd))
