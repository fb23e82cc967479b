"""Means for sums, in another order: each query head's mean is pooled, and the group's mean is taken last."""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    num_kv_heads, group, W, S = attn.shape
    if budget >= S:
        return torch.arange(S).repeat(num_kv_heads, 1)
    heads = attn[..., : S - W].float().mean(2)  # [n_kv, group, S - W]
    pooled = avg_pool1d(heads.flatten(0, 1), kernel, stride=1, padding=kernel // 2)
    best = pooled.reshape(num_kv_heads, group, -1).mean(1).topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(num_kv_heads, 1)
    return torch.cat([best, window], dim=1).sort().values
