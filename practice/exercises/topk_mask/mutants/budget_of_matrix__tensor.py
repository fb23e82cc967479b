"""en: Spends one budget on the whole matrix; the budget is each row's.
zh: 整个矩阵只用了一份预算；预算是每一行各有一份。
"""

import torch


def topk_mask(scores, budget):
    flat = scores.flatten()
    best = flat.topk(min(budget, len(flat))).indices
    chosen = torch.zeros_like(flat, dtype=torch.bool).scatter(-1, best, True)
    return chosen.reshape(scores.shape) & scores.isfinite()
