"""en: Gives every row as few keys as the row that sees the fewest; each row has min(budget, visible).
zh: 让每一行都迁就看到 key 最少的那一行；每一行应当各取 min(budget, 可见数)。
"""

import torch


def topk_mask(scores, budget):
    visible = scores.isfinite().sum(-1)
    count = min(budget, int(visible.min())) if visible.numel() else 0
    best = scores.topk(count).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
