"""en: Takes the smaller product in each channel: that bounds the scores from below.
zh: 每个通道取了两个乘积中较小的一个：那是分数的下界。
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
    return torch.minimum(query * low, query * high).sum(-1).to(q.dtype)
