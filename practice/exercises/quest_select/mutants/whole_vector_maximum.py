"""en: Takes the larger of the two whole dot products, q.min and q.max; the larger is to be taken channel by channel.
zh: 取 q·min 与 q·max 两个完整点积中较大的一个；应当逐通道取较大者再求和。
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
    bounds = torch.maximum((query * low).sum(-1), (query * high).sum(-1))
    bounds[:, -1] = torch.inf
    best = bounds.topk(max(1, budget // page), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
