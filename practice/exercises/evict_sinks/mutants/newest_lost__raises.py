"""en: Off by one: the window ends one slot too early, and the newest token is lost.
zh: 差一错误：窗口提前一个槽位结束，最新的 token 丢了。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - (budget - sinks), S - 1)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
