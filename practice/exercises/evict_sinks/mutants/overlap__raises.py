"""en: Sinks and window are joined even where nothing has to go: in a short cache slots repeat, or indices leave it.
zh: 不先判断是否需要淘汰就把 sink 和窗口拼起来：缓存较短时两段重叠，槽位会重复，或者下标越界。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    kept = torch.cat([torch.arange(sinks), torch.arange(S - (budget - sinks), S)])
    return k[:, :, kept], v[:, :, kept], positions[kept]
