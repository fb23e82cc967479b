"""en: Counts a channel's term as 0 where both products are negative: the sum is a bound still, but looser than need be.
zh: 两个乘积都为负的通道算成 0：和仍是上界，却白白放松了。
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
    return torch.maximum(query * low, query * high).clamp(min=0).sum(-1).to(q.dtype)
