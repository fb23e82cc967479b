"""en: Sums over the heads too, and all of them keep the same keys; each head attends elsewhere, and has its own cache.
zh: 连头也一起求和，所有头留下同样的 key；各个头关注的 key 不同，缓存也是各有一份。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum((0, 1), dtype=torch.float32).repeat(len(attn), 1)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
