"""en: Takes a constant such as -1e9 for hidden: a score may be lower than any constant, and no less visible.
zh: 用 -1e9 之类的常数代表隐藏：分数可以比任何常数都低，却照样可见。
"""

import torch


def topk_mask(scores, budget):
    finite = scores.float().masked_fill(scores.isinf(), -1e9)
    best = finite.topk(min(budget, scores.shape[-1]))
    return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best.indices, True) & scores.isfinite()
