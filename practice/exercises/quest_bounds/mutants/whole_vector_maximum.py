"""en: Takes the larger of the two whole dot products, q.min and q.max; the larger is to be taken channel by channel.
zh: 取 q·min 与 q·max 两个完整点积中较大的一个；应当逐通道取较大者再求和。
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
    return torch.maximum((query * low).sum(-1), (query * high).sum(-1)).to(q.dtype)
