"""en: One set of keys for all heads, chosen by the sum of their scores; each head is to choose its own.
zh: 所有头共用一组 key（按各头分数之和来选）；每个头应当各选各的。
"""

import torch


def topk_mask(scores, budget):
    totals = scores.float()
    while totals.dim() > 2:
        totals = totals.sum(0)
    best = totals.topk(min(budget, scores.shape[-1])).indices
    chosen = torch.zeros_like(totals, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
