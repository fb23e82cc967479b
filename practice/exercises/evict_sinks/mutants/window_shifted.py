"""en: Off by one: the window is shifted by one slot; the newest token is lost, and an older one stays instead.
zh: 差一错误：窗口整体错开了一个槽位，最新的 token 丢了，换成了一个更旧的。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - (budget - sinks) - 1, S - 1)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
