"""en: Reshapes to [page, pages], so that every pages-th key lands in one page; a page is a run of neighbours.
zh: 按 [page, pages] 变形，于是每隔若干个 key 才属于同一页；一页应当是相邻的 key。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = [k[:, start :: -(-k.shape[1] // page)].float() for start in range(-(-k.shape[1] // page))]
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    query = q.float()[:, None]
    return torch.maximum(query * low, query * high).sum(-1).to(q.dtype)
