"""en: Scores keys by the newest query alone; H2O sums over all queries, and judges a key by its whole past.
zh: 只用最新一个 query 的概率打分；H2O 对全部 query 求和，看的是 key 迄今为止的全部表现。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn[:, -1:].sum(1, dtype=torch.float32)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
