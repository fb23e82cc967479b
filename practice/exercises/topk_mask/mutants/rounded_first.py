"""en: Rounds the scores to half precision before choosing: scores that differ become the same.
zh: 选之前先把分数舍入成半精度：本来不同的分数变得一样。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    best = scores.bfloat16().topk(count).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
