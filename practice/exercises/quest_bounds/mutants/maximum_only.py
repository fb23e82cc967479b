"""en: Uses the page's maximum only: where q is negative, the largest product comes from the minimum.
zh: 只用了每页的最大值：q 为负的通道上，最大的乘积来自最小值。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = k.float().split(page, dim=1)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    return (q.float()[:, None] * high).sum(-1).to(q.dtype)
