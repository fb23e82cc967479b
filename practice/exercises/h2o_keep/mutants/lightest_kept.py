"""en: Keeps the keys with the smallest totals (argsort ascends): the heavy hitters are thrown away.
zh: 留下的是总和最小的 key（argsort 默认升序）：heavy hitter 反而被丢掉了。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)
    totals[:, S - recent :] = -torch.inf
    kept = totals.argsort(stable=True)[:, :budget]
    return kept.sort().values
