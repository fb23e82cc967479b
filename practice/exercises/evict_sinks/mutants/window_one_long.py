"""en: Off by one: the window is one slot too long, and `budget` + 1 slots stay.
zh: 差一错误：窗口多了一个槽位，留下了 `budget` + 1 个。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - (budget - sinks) - 1, S)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
