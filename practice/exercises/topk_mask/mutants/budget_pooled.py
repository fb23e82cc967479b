"""en: Pools the budgets of all rows of a matrix: rows with high scores take places from rows with low ones.
zh: 把一个矩阵里各行的预算合在一起用：分数高的行挤占了分数低的行的名额。
"""

import torch


def topk_mask(scores, budget):
    flat = scores.flatten(-2)
    best = flat.topk(min(budget, scores.shape[-1]) * scores.shape[-2]).indices
    chosen = torch.zeros_like(flat, dtype=torch.bool).scatter(-1, best, True)
    return chosen.reshape(scores.shape) & scores.isfinite()
