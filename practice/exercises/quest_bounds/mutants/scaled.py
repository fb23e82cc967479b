"""en: Divides by the square root of D, as attention does; these bounds are unscaled, and to rank pages needs no scale.
zh: 像注意力那样除以 D 的平方根；这里的上界不缩放，给页排序也用不着缩放。
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
    return (torch.maximum(query * low, query * high).sum(-1) * q.shape[1] ** -0.5).to(q.dtype)
