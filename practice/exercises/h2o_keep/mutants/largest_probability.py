"""en: Takes the largest probability that any query gave a key; one sharp query then outweighs many that use another.
zh: 取各 query 给该 key 的最大概率；这样，一个注意力很集中的 query 就能压过许多 query 都在用的 key。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.float().amax(1) if attn.shape[1] else attn.float().sum(1)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
