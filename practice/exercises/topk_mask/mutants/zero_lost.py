"""en: Writes the best scores beside zeros and asks what is not 0: a key with score 0 is lost.
zh: 把最好的分数写进一片 0，再看哪些不是 0：分数恰好为 0 的 key 就丢了。
"""

import torch


def topk_mask(scores, budget):
    count = min(budget, scores.shape[-1])
    best = scores.topk(count)
    written = torch.zeros_like(scores).scatter(-1, best.indices, best.values)
    return (written != 0) & scores.isfinite()
