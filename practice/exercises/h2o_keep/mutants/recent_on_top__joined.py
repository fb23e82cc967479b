"""en: Keeps `budget` heavy hitters and the newest `recent` on top; their places must come out of the budget.
zh: 先留 `budget` 个 heavy hitter，再另加最新的 `recent` 个；最新的 key 应当占用预算之内的名额。
"""

import torch


def h2o_keep(attn, budget, recent):
    num_heads, _, S = attn.shape
    if budget >= S:
        return torch.arange(S).repeat(num_heads, 1)
    totals = attn.float().sum(1)
    heavy = totals[:, : S - recent].topk(min(budget, S - recent)).indices
    newest = torch.arange(S - recent, S).repeat(num_heads, 1)
    return torch.cat([heavy, newest], dim=1).sort().values
