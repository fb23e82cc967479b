"""en: The sinks come on top of the budget: `sinks` + `budget` slots stay instead of `budget`.
zh: sink 被算在预算之外：留下了 `sinks` + `budget` 个槽位，而不是 `budget` 个。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget + sinks >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - budget, S)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
