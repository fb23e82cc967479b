"""q+ times the maximum plus q- times the minimum, one head at a time."""

import torch


def quest_select(q, k, budget, page):
    num_heads, S = q.shape[0], k.shape[1]
    if budget >= S:
        return torch.full((num_heads, S), True)
    group = num_heads // k.shape[0]
    mask = torch.zeros(num_heads, S, dtype=torch.bool)
    for head in range(num_heads):
        pages = k[head // group].float().split(page)
        high = torch.stack([keys.max(dim=0).values for keys in pages])
        low = torch.stack([keys.min(dim=0).values for keys in pages])
        query = q[head].float()
        bounds = high @ query.clamp(min=0) + low @ query.clamp(max=0)
        others = bounds[:-1].argsort(descending=True)[: max(1, budget // page) - 1]
        for chosen in [*others.tolist(), len(pages) - 1]:
            mask[head, chosen * page : (chosen + 1) * page] = True
    return mask
