"""en: Pools before the window is cut off: the window's votes, the greatest of all, leak into the keys just before it.
zh: 先池化再切掉窗口：窗口自己的得票最高，会渗进紧挨着它的那几个 key。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn.float().sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)[:, : S - W]
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
