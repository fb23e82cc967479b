"""en: The first head chooses for all of them; each head is to choose its own.
zh: 由第一个头替所有头选；每个头应当各选各的。
"""

import torch


def topk_mask(scores, budget):
    first = scores
    while first.dim() > 2:
        first = first[0]
    best = first.topk(min(budget, scores.shape[-1])).indices
    chosen = torch.zeros_like(first, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
