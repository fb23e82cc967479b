"""en: Off by one: a cache of exactly `budget` slots already loses one, as if room for the next token had to be made.
zh: 差一错误：缓存正好有 `budget` 个槽位时就淘汰了一个，好像要先给下一个 token 腾地方。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget > S:
        return k, v, positions
    recent = max(0, budget - sinks - 1)
    kept = torch.cat([torch.arange(min(sinks, S)), torch.arange(S - recent, S)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
