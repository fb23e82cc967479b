"""en: The kept positions are renumbered 0, 1, 2, ... as cache indices; the function must return them as they were.
zh: 留下的位置被按缓存内位置重新编号成 0、1、2……；函数应当原样返回它们。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - budget + sinks, S)])
    return k[:, :, kept], v[:, :, kept], torch.arange(budget)
