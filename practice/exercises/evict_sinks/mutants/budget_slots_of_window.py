"""en: The window has `budget` slots, and the sinks come on top; where the budget is 0, [-0:] keeps everything.
zh: 窗口占了 `budget` 个槽位，sink 又另外加上；budget 为 0 时 [-0:] 还会留下全部。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    parts = [(x[:, :, :sinks], x[:, :, -budget:]) for x in (k, v)]
    kept = [torch.cat(part, dim=2) for part in parts]
    return *kept, torch.cat([positions[:sinks], positions[-budget:]])
