"""en: Takes whatever topk returns: where fewer keys are visible than the budget, it fills up with hidden ones.
zh: topk 返回什么就要什么：可见的 key 少于预算时，它会拿隐藏的来凑数。
"""

import torch


def topk_mask(scores, budget):
    mask = torch.zeros_like(scores, dtype=torch.bool)
    for at in torch.cartesian_prod(*map(torch.arange, scores.shape[:-1])).reshape(-1, scores.dim() - 1).tolist():
        row = scores[*at].tolist()
        mask[*at, sorted(range(len(row)), key=row.__getitem__, reverse=True)[:budget]] = True
    return mask
