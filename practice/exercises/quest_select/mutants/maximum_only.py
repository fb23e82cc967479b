"""en: Uses the page's maximum only: where q is negative the largest product comes from the minimum.
zh: 只用了每页的最大值：q 为负的通道上，最大的乘积来自最小值。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, _) = len(q), k.shape
    group = num_heads // num_kv_heads
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    split = k.float().split(page, dim=1)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    bounds = (q.float()[:, None] * high).sum(-1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(max(1, budget // page), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
