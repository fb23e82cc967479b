"""en: Fills the last page up with one infinity for minimum and maximum alike: harmless for one, it becomes the other.
zh: 求最小值和最大值时用同一个无穷大填充最后一页：对其中一个无害，却成了另一个。
"""

import torch
from torch.nn.functional import pad


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    paged = pad(k.float(), (0, 0, 0, -k.shape[1] % page), value=torch.inf).unflatten(1, (-1, page))
    low, high = (bound.repeat_interleave(group, dim=0) for bound in (paged.amin(2), paged.amax(2)))
    query = q.float()[:, None]
    return torch.maximum(query * low, query * high).sum(-1).to(q.dtype)
