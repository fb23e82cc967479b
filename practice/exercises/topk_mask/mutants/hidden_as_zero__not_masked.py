"""en: Replaces -inf by 0, which is above every negative score: hidden keys take the places of visible ones.
zh: 把 -inf 换成 0，而 0 高于一切负分数：隐藏的 key 挤掉了可见的。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    best = scores.masked_fill(scores.isinf(), 0).topk(count).indices
    return torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
