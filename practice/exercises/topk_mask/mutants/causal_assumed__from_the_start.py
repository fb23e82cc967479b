"""en: Hides later keys by a causal mask of its own; which keys are hidden, the scores alone say.
zh: 自己又加了一个因果掩码；哪些 key 隐藏，只由分数说了算。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    best = scores.topk(count).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return (chosen & scores.isfinite()).tril()
