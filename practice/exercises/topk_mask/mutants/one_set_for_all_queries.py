"""en: One set of keys for all rows, chosen by the best score of any of them; each row is to choose its own.
zh: 所有行共用一组 key（按各行中的最高分来选）；每一行应当各选各的。
"""

import torch


def topk_mask(scores, budget):
    if scores.shape[-2] == 0:
        return torch.zeros_like(scores, dtype=torch.bool)
    best = scores.amax(-2, keepdim=True).topk(min(budget, scores.shape[-1])).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best.expand(*scores.shape[:-1], -1), True)
    return chosen & scores.isfinite()
