"""en: Sinks and window are joined even where nothing has to go; and where sinks equals budget, [-0:] is everything.
zh: 不先判断是否需要淘汰就把 sink 和窗口拼起来；而且当 sinks 等于 budget 时，[-0:] 取到的是整个缓存。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    recent = budget - sinks
    return (
        torch.cat([k[:, :, :sinks], k[:, :, -recent:]], dim=2),
        torch.cat([v[:, :, :sinks], v[:, :, -recent:]], dim=2),
        torch.cat([positions[:sinks], positions[-recent:]]),
    )
