"""en: Keeps the keys with the smallest scores, those that the query has least use for.
zh: 留下的是分数最低的 key，也就是 query 最用不上的。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    best = scores.masked_fill(scores.isinf(), torch.inf).topk(count, largest=False).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
