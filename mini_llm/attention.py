"""Grouped-query attention: the projections of one layer, and the one function that mixes values."""

from __future__ import annotations

from collections.abc import Callable

import torch.nn.functional as F
from torch import Tensor, nn

from .config import ModelConfig
from .rope import apply_rope

Attend = Callable[[Tensor, Tensor, Tensor], Tensor]
"""(q, k, v) of the new tokens -> output ``[B, n_heads, T, D]``. Whoever calls the model decides what q may look at."""


def grouped_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
    """Softmax attention in which ``n_heads / n_kv`` query heads read one KV head (Ainslie et al. 2023, GQA).

    q ``[B, n_heads, T, D]``; k, v ``[B, n_kv, S, D]``; query head h reads KV head ``h // (n_heads // n_kv)``.
    mask: bool, True = may attend, ``[T, S]``, ``[n_heads, T, S]`` or ``[B, n_heads or 1, T, S]``; ``causal=True``
    instead when T == S and query t sees keys 0..t. Scale is ``D ** -0.5``. Returns ``[B, n_heads, T, D]``.
    K and V are never repeated: the heads of a group become a dimension over which they are broadcast with stride 0.
    """
    B, num_heads, T, D = q.shape
    num_kv_heads, S = k.shape[1], k.shape[2]
    group = num_heads // num_kv_heads
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


class SelfAttention(nn.Module):
    """One layer's attention. ``nh``, ``nkv``, ``hd`` are num_heads, num_kv_heads, head_dim.

    Its forward takes ``(x, cos, sin)`` positionally, so a forward pre-hook sees them: x ``[B, T, hidden]`` is the
    normed input. The projections are plain ``nn.Linear``; q_norm and k_norm are identities where a family has none.
    """

    def __init__(self, cfg: ModelConfig) -> None:
        super().__init__()
        self.nh, self.nkv, self.hd = cfg.num_attention_heads, cfg.num_key_value_heads, cfg.head_dim
        bias = cfg.family.qkv_bias
        self.q_proj = nn.Linear(cfg.hidden_size, self.nh * self.hd, bias=bias)
        self.k_proj = nn.Linear(cfg.hidden_size, self.nkv * self.hd, bias=bias)
        self.v_proj = nn.Linear(cfg.hidden_size, self.nkv * self.hd, bias=bias)
        self.o_proj = nn.Linear(self.nh * self.hd, cfg.hidden_size, bias=False)
        norm = cfg.family.qk_norm
        self.q_norm = nn.RMSNorm(self.hd, eps=cfg.rms_norm_eps) if norm else nn.Identity()
        self.k_norm = nn.RMSNorm(self.hd, eps=cfg.rms_norm_eps) if norm else nn.Identity()

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor, *, attend: Attend) -> Tensor:
        B, T, _ = x.shape
        q = self.q_norm(self.q_proj(x).view(B, T, self.nh, self.hd)).transpose(1, 2)
        k = self.k_norm(self.k_proj(x).view(B, T, self.nkv, self.hd)).transpose(1, 2)
        v = self.v_proj(x).view(B, T, self.nkv, self.hd).transpose(1, 2)
        out = attend(apply_rope(q, cos, sin), apply_rope(k, cos, sin), v)
        return self.o_proj(out.transpose(1, 2).reshape(B, T, self.nh * self.hd))
