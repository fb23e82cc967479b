"""en: Keeps `budget` heavy hitters and the newest `recent` on top; their places must come out of the budget.
zh: 先留 `budget` 个 heavy hitter，再另加最新的 `recent` 个；最新的 key 应当占用预算之内的名额。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget + recent, S)).indices
    return kept.sort().values
