"""en: Sums over the KV heads too, and all of them keep the same keys; each KV head has its own cache.
zh: 连 KV 头也一起求和，所有 KV 头留下同样的 key；每个 KV 头的缓存是各自的。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].float().sum((0, 1, 2)).repeat(len(attn), 1)
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
