"""en: Cuts S // page pages: the keys after the last full page, the newest of all, are in none and never read.
zh: 只切出 S // page 页：最后一个满页之后的 key（恰恰是最新的）不属于任何一页，永远不会被读。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, D) = len(q), k.shape
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    pages = S // page
    mask = torch.zeros(num_heads, S, dtype=torch.bool)
    if not pages:
        return mask
    paged = k[:, : pages * page].float().reshape(num_kv_heads, pages, page, D)
    low, high = (bound.repeat_interleave(num_heads // num_kv_heads, dim=0) for bound in (paged.amin(2), paged.amax(2)))
    query = q.float()[:, None]
    bounds = torch.maximum(query * low, query * high).sum(-1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(min(pages, max(1, budget // page)), dim=-1).indices
    chosen = torch.zeros(num_heads, pages, dtype=torch.bool).scatter(1, best, True)
    mask[:, : pages * page] = chosen.repeat_interleave(page, dim=1)
    return mask
