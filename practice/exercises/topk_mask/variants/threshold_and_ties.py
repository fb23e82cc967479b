"""A threshold with its ties counted: all above it, and of those equal to it the first ones that still fit."""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    if count == 0:
        return torch.zeros_like(scores, dtype=torch.bool)
    threshold = scores.topk(count, dim=-1).values[..., -1:]
    above, equal = scores > threshold, (scores == threshold) & (scores != -torch.inf)
    return above | (equal & (equal.cumsum(-1) <= count - above.sum(-1, keepdim=True)))
