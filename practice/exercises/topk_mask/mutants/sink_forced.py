"""en: Forces key 0 in as a sink; exact top-k forces nothing.
zh: 把 key 0 当作 sink 强制保留；精确 top-k 什么也不强制。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    forced = scores.clone()
    forced[..., :1] = torch.inf
    best = forced.topk(count).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
