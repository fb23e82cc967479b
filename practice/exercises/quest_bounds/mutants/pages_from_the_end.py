"""en: Cuts pages from the newest key backwards, so that the first page is the short one; page p holds keys p * page on.
zh: 从最新的 key 往前切页，不满的就成了第一页；第 p 页应当从第 p * page 个 key 开始。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = k.float().flip(1).split(page, dim=1)[::-1]
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    query = q.float()[:, None]
    return torch.maximum(query * low, query * high).sum(-1).to(q.dtype)
