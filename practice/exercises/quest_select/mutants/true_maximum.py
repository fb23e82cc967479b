"""en: Scores every key and takes each page's best: that reads all of K, which the bound is there to avoid.
zh: 给每个 key 都打了分再取每页的最大值：这样要读完整个 K（上界正是为了避免这一点），选出的页也不一样。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, _) = len(q), k.shape
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    scores = torch.einsum("hd,hsd->hs", q.float(), k.float().repeat_interleave(num_heads // num_kv_heads, dim=0))
    split = scores.split(page, dim=1)
    bounds = torch.stack([part.amax(1) for part in split], dim=1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(max(1, budget // page), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
