"""en: Off by one: protects `recent` - 1 keys, as if the token that comes next were one of the `recent`.
zh: 差一错误：只保护了 `recent` - 1 个 key，好像下一个 token 也算在 `recent` 里。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)
    totals[:, max(0, S - recent) + (recent > 0) :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
