"""en: Sums in the input's dtype: bfloat16 holds 8 significant bits, so totals that differ become the same.
zh: 用输入的 dtype 求和：bfloat16 的有效位只有 8 个二进制位，本来不同的总和变得相等。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = torch.zeros_like(attn[:, :1].sum(1))
    for query in range(attn.shape[1]):
        totals += attn[:, query]
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
