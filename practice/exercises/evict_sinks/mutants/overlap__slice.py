"""en: Sinks and window are joined even where nothing has to go: in a short cache slots repeat, or indices leave it.
zh: 不先判断是否需要淘汰就把 sink 和窗口拼起来：缓存较短时两段重叠，槽位会重复，或者下标越界。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    start = len(positions) - (budget - sinks)
    return (
        torch.cat([k[:, :, :sinks], k[:, :, start:]], dim=2),
        torch.cat([v[:, :, :sinks], v[:, :, start:]], dim=2),
        torch.cat([positions[:sinks], positions[start:]]),
    )
