"""en: Gives all heads of a group the largest bound among them; each query head has bounds of its own.
zh: 同组的头都用了组内最大的上界；每个 query 头各有自己的上界。
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
    return bounds.reshape(len(k), group, -1).amax(1).repeat_interleave(group, dim=0).to(q.dtype)
