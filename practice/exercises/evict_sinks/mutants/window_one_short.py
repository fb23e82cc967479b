"""en: Off by one: the window is one slot too short, and a slot that may stay is evicted.
zh: 差一错误：窗口少了一个槽位，本可留下的槽位被淘汰了。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    start = min(S, S - (budget - sinks) + 1)
    kept = torch.cat([torch.arange(sinks), torch.arange(start, S)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
