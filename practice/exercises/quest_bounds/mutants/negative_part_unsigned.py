"""en: Multiplies the minimum by -q where q is negative: the negative part of q keeps its sign, q = q+ + q-.
zh: q 为负的通道上，用 -q 去乘最小值；q 的负部应当保留负号：q = q+ + q-。
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
    return (query.clamp(min=0) * high + (-query).clamp(min=0) * low).sum(-1).to(q.dtype)
