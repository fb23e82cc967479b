"""en: The newest query chooses for all rows; each row is to choose its own.
zh: 由最新的 query 替所有行选；每一行应当各选各的。
"""

import torch


def topk_mask(scores, budget):
    best = scores[..., -1:, :].topk(min(budget, scores.shape[-1])).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best.expand(*scores.shape[:-1], -1), True)
    return chosen & scores.isfinite()
