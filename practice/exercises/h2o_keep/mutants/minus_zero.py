"""en: With recent = 0 the slice [-recent:] is [-0:], every key: all are protected, and the totals decide nothing.
zh: recent = 0 时切片 [-recent:] 成了 [-0:]，也就是全部 key：全都受保护，总和不起任何作用。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)
    totals[:, -recent:] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
