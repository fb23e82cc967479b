"""en: Keeps what is better than the budget-th best: the budget-th itself is lost.
zh: 只保留比第 budget 名更好的 key：第 budget 名自己丢了。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    if count == 0:
        return torch.zeros_like(scores, dtype=torch.bool)
    return scores > scores.topk(count).values[..., -1:]
