"""en: Breaks ties with a small slope over the positions: it reorders close scores and vanishes beside large ones.
zh: 给位置加一个很小的斜率来打破并列：相近的分数会被打乱，很大的分数又感觉不到它。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    if count == 0:
        return torch.zeros_like(scores, dtype=torch.bool)
    unequal = scores.float() - 1e-6 * torch.arange(scores.shape[-1])
    return (unequal >= unequal.topk(count).values[..., -1:]) & scores.isfinite()
