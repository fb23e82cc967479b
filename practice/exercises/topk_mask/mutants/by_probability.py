"""en: Chooses by softmax probabilities: far below the best they are all 0, and keys that differ become the same.
zh: 按 softmax 概率来选：比最高分低得多的概率全都下溢成 0，本来不同的 key 变得一样。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    best = scores.softmax(-1).topk(count).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-1, best, True)
    return chosen & scores.isfinite()
