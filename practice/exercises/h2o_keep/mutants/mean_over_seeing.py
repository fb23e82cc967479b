"""en: Divides by how many queries saw the key (ObservedAttention): this lifts late keys; H2O's score is the sum.
zh: 又除以看得见该 key 的 query 数（ObservedAttention 的做法），抬高了靠后的 key；H2O 的分数就是总和。
"""

import torch


def h2o_keep(attn, budget, recent):
    _, T, S = attn.shape
    seen = (S - torch.arange(S)).clamp(max=T)
    totals = attn.sum(1, dtype=torch.float32) / seen
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
