"""en: Keeps one key at least; a budget of 0 keeps none.
zh: 至少留一个 key；budget 为 0 时一个也不该留。
"""

import torch


def topk_mask(scores, budget):
    best = scores.topk(min(max(1, budget), scores.shape[-1])).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
