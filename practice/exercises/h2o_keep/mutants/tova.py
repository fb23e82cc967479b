"""en: This is TOVA: the newest query, averaged over the heads, one set for all; H2O sums over queries, head by head.
zh: 这是 TOVA：最新 query 的概率在各头之间取平均，所有头共用一组；H2O 是对 query 求和，每个头各选各的。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn[:, -1:].float().mean(0).sum(0).repeat(len(attn), 1)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
