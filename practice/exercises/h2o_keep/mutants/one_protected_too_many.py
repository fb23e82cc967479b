"""en: Off by one: protects `recent` + 1 keys, and one heavy hitter loses its place.
zh: 差一错误：保护了 `recent` + 1 个 key，有一个 heavy hitter 因此失去了名额。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)
    totals[:, S - recent - 1 :] = torch.inf
    return totals.topk(min(budget, S)).indices.sort().values
