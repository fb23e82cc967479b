"""en: Counts pages although everything fits: with a partial last page budget // page leaves one page out.
zh: 全都放得下时仍按页数挑选：最后一页不满时，budget // page 会漏掉一页。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, _) = len(q), k.shape
    group = num_heads // num_kv_heads
    if S == 0:
        return torch.ones(num_heads, S, dtype=torch.bool)
    split = k.float().split(page, dim=1)
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    query = q.float()[:, None]
    bounds = torch.maximum(query * low, query * high).sum(-1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(min(max(1, budget // page), len(split)), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
