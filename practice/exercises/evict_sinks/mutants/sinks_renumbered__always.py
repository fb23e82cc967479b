"""en: The sinks' positions are renumbered from 0; the first slots need not hold the first positions.
zh: sink 的位置被改成从 0 开始编号；而最前面的槽位对应的位置不一定从 0 开始。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    first, surplus = min(sinks, S), max(0, S - budget)
    kept = torch.tensor([*range(first), *range(first + surplus, S)], dtype=torch.int64)
    return k[:, :, kept], v[:, :, kept], torch.cat([torch.arange(first), positions[kept[first:]]])
