"""en: Adds up the bounds of a group and gives the sum to all its heads; each query head has bounds of its own.
zh: 把同组各头的上界加起来，再分给组内每个头；每个 query 头各有自己的上界。
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
    return bounds.reshape(len(k), group, -1).sum(1).repeat_interleave(group, dim=0).to(q.dtype)
