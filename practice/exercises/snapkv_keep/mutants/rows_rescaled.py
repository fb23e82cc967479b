"""en: Rescales each row to sum to 1 before the window; a query that looked at the window then votes as loudly.
zh: 把每行窗口之前的部分重新归一化到 1：主要关注窗口的 query 本来没投多少票，这样一来票数就和别人一样多了。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    rows = attn[..., : S - W].float()
    votes = (rows / rows.sum(-1, keepdim=True)).sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
