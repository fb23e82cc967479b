"""en: Scores a page by the middle between minimum and maximum; its best key may lie far above.
zh: 用最小值和最大值的中点给一页打分；页内最好的 key 可能远高于它。
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
    return (query * (low + high) / 2).sum(-1).to(q.dtype)
