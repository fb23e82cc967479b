"""en: Sums over the newest `recent` queries only, like SnapKV; in H2O all queries vote, and `recent` counts keys.
zh: 只对最新的 `recent` 个 query 求和（像 SnapKV 的窗口）；H2O 里全部 query 都算，`recent` 数的是 key。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn[:, -recent:].sum(1, dtype=torch.float32)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
