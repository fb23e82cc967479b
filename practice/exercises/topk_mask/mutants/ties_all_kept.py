"""en: Keeps every score that is no worse than the budget-th: where scores tie there, more keys than the budget.
zh: 凡是不低于第 budget 名的分数都保留：分数在那里并列时，保留的 key 会超出预算。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    if count == 0:
        return torch.zeros_like(scores, dtype=torch.bool)
    threshold = scores.topk(count).values[..., -1:]
    return (scores >= threshold) & scores.isfinite()
