"""en: Takes the softmax of a softmax: the differences flatten, and hidden keys get exp(0), which is not 0.
zh: 对 softmax 的结果再做一次 softmax：差别被压平，被遮住的 key 也得到 exp(0)，而不是 0。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.float().softmax(-1).sum(1)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
