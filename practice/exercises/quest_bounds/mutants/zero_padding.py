"""en: Fills the last page up with zeros, which then count as keys: they pull its minimum and maximum towards 0.
zh: 用零填满最后一页，这些零就被当成了 key：最小值和最大值都被拉向 0。
"""

import torch
from torch.nn.functional import pad


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    paged = pad(k.float(), (0, 0, 0, -k.shape[1] % page)).unflatten(1, (-1, page))
    low, high = (bound.repeat_interleave(group, dim=0) for bound in (paged.amin(2), paged.amax(2)))
    query = q.float()[:, None]
    return torch.maximum(query * low, query * high).sum(-1).to(q.dtype)
