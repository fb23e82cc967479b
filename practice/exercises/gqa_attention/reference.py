"""Reference: the queries of a group become rows over the keys that they share, so that k and v are never copied."""

import torch
from torch import Tensor


def gqa_attention(q: Tensor, k: Tensor, v: Tensor, mask: Tensor) -> Tensor:
    """GQA (Ainslie et al., 2023): q ``[B, n_heads, T, D]``, k, v ``[B, n_kv, S, D]`` -> like q."""
    (B, num_heads, T, D), (num_kv_heads, S) = q.shape, k.shape[1:3]
    rows = q.float().reshape(B, num_kv_heads, -1, D)  # [B, n_kv, group * T, D]
    scores = (rows @ k.float().mT * D**-0.5).reshape(B, num_heads, T, S)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    out: Tensor = weights.reshape(B, num_kv_heads, -1, S) @ v.float()
    return out.reshape(q.shape).to(q.dtype)
