"""en: The right keys in the order of their totals; a cache holds keys by position, so the indices must ascend.
zh: 选对了 key，却按总和排序；缓存里的 key 按位置排列，所以下标必须升序。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept
