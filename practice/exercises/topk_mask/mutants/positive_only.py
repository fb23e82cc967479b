"""en: Takes a key to be visible where its score is above 0; only -inf hides it.
zh: 把分数大于 0 当作可见；只有 -inf 才表示隐藏。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    best = scores.topk(count).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & (scores > 0)
