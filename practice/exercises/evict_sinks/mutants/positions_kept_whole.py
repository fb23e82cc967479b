"""en: positions was never indexed: it comes back whole, while k and v have lost their middle.
zh: 忘了索引 positions：k 和 v 去掉了中间，positions 却原样返回。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - budget + sinks, S)])
    return k[:, :, kept], v[:, :, kept], positions
