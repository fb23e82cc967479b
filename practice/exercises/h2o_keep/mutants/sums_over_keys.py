"""en: Sums over the keys, not the queries: each row of a softmax sums to 1, so that all scores are alike.
zh: 对 key 而不是对 query 求和：softmax 的每一行之和都是 1，分数全都一样。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(2, dtype=torch.float32)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S, totals.shape[1])).indices
    return kept.sort().values
