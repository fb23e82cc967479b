"""en: Takes whatever topk returns: where fewer keys are visible than the budget, it fills up with hidden ones.
zh: topk 返回什么就要什么：可见的 key 少于预算时，它会拿隐藏的来凑数。
"""

import torch


def topk_mask(scores, budget):
    best = scores.topk(budget).indices
    return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
