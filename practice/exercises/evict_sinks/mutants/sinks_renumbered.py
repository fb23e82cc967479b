"""en: The sinks' positions are renumbered from 0; the first slots need not hold the first positions.
zh: sink 的位置被改成从 0 开始编号；而最前面的槽位对应的位置不一定从 0 开始。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - budget + sinks, S)])
    return k[:, :, kept], v[:, :, kept], torch.cat([torch.arange(sinks), positions[kept[sinks:]]])
