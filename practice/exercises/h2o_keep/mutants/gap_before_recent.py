"""en: Key S - recent - 1 is neither protected nor a candidate: the candidates end one too early, and it can never stay.
zh: 第 S - recent - 1 个 key 既不受保护也不是候选：候选范围早结束了一个，它永远留不下来。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)
    if budget < S:
        totals[:, S - recent - 1] = -torch.inf
    totals[:, S - recent :] = torch.inf
    return totals.topk(min(budget, S)).indices.sort().values
