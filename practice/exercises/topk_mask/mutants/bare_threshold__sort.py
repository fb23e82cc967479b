"""en: A bare threshold: ties exceed the budget, and where too few keys are visible it is -inf, which all reach.
zh: 只用一个阈值：并列时超出预算；可见的 key 不够时阈值是 -inf，于是全部入选，连隐藏的也在内。
"""

import torch


def topk_mask(scores, budget):
    S = scores.shape[-1]
    if budget >= S:
        return torch.ones_like(scores, dtype=torch.bool)
    return scores >= scores.sort(descending=True).values[..., max(budget, 1) - 1, None]
