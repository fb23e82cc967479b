"""en: Chooses by magnitude: a very negative score beats a small positive one, though the softmax gives it nothing.
zh: 按绝对值来选：很负的分数胜过很小的正分数，可 softmax 几乎不给它权重。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    best = scores.abs().masked_fill(scores.isinf(), -torch.inf).topk(count).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
