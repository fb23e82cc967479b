"""en: Sets the last page to infinity, as a selection does later on; the bound itself is a finite number.
zh: 把最后一页设成无穷大，那是之后选页时才做的事；上界本身是有限的数。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = k.float().split(page, dim=1)
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    query = q.float()[:, None]
    bounds = torch.maximum(query * low, query * high).sum(-1)
    bounds[:, -1] = torch.inf
    return bounds.to(q.dtype)
