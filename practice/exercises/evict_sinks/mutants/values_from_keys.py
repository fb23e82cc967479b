"""en: The returned values are the keys: v was never indexed.
zh: 返回的 v 其实是 k：忘了对 v 做同样的索引。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - budget + sinks, S)])
    return k[:, :, kept], k[:, :, kept], positions[kept]
