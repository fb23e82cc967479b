"""en: A slice from -(budget - sinks) to the end: where sinks equals budget this is [-0:], which keeps everything.
zh: 用 -(budget - sinks) 到末尾的切片取窗口：当 sinks 等于 budget 时就成了 [-0:]，把全部槽位都留下了。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    if len(positions) <= budget:
        return k, v, positions
    recent = budget - sinks
    return (
        torch.cat([k[:, :, :sinks], k[:, :, -recent:]], dim=2),
        torch.cat([v[:, :, :sinks], v[:, :, -recent:]], dim=2),
        torch.cat([positions[:sinks], positions[-recent:]]),
    )
