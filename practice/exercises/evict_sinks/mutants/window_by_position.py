"""en: Counts the window in positions; after an earlier eviction there are gaps, and it holds fewer slots than it may.
zh: 按位置而不是按槽位数窗口；之前淘汰过就会有缺口，窗口里的槽位便少于预算。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    keep = (torch.arange(S) < sinks) | (positions > positions[-1] - (budget - sinks))
    return k[:, :, keep], v[:, :, keep], positions[keep]
