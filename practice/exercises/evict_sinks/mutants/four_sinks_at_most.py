"""en: Caps the sinks at four, the paper's default; how many there are is the caller's choice.
zh: 把 sink 限制在四个（论文的默认值）；保留几个由调用者决定。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S, sinks = len(positions), min(sinks, 4)
    if budget >= S:
        return k, v, positions
    keep = torch.cat([torch.arange(sinks), torch.arange(S - (budget - sinks), S)])
    return k[:, :, keep], v[:, :, keep], positions[keep]
