"""en: Reads at least three pages, as Quest's evaluation code does; here a budget below a page gives one.
zh: 至少读三页（Quest 评测代码的做法）；这里预算不足一页时只读一页。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, _) = len(q), k.shape
    group = num_heads // num_kv_heads
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    split = k.float().split(page, dim=1)
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    query = q.float()[:, None]
    bounds = torch.maximum(query * low, query * high).sum(-1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(min(max(3, budget // page), len(split)), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
