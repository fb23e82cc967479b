"""en: The window comes before the sinks; the slots that stay keep their old order, oldest first.
zh: 窗口排在 sink 前面了；留下的槽位应保持原来的顺序，旧的在前。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(S - budget + sinks, S), torch.arange(sinks)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
