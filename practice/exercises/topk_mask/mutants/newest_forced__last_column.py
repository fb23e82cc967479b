"""en: Forces the newest visible key in: Quest forces its last page, exact top-k forces nothing.
zh: 强制保留最新的可见 key：Quest 强制保留最后一页，精确 top-k 什么也不强制。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    forced = scores.clone()
    forced[..., -1:] = torch.inf
    best = forced.topk(count).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
