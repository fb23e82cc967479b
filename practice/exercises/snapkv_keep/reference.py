"""Reference: votes of one KV head are summed, then pooled; the window's own keys vote for nobody and always stay."""

import torch
from torch import Tensor
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn: Tensor, budget: int, kernel: int) -> Tensor:
    """SnapKV's choice (Li et al., 2024): ``[n_kv, group, W, S]`` -> ``[n_kv, min(budget, S)]``, per KV head."""
    W, S = attn.shape[2:]
    votes = attn.sum((1, 2), dtype=torch.float32)  # [n_kv, S]
    votes[:, S - W :] = 0.0  # cut off before pooling: to its neighbours the window is padding
    pooled = avg_pool1d(votes, kernel, 1, kernel // 2)
    pooled[:, S - W :] = torch.inf
    return pooled.topk(min(budget, S)).indices.sort().values
