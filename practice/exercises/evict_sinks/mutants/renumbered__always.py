"""en: The kept positions are renumbered 0, 1, 2, ... as cache indices; the function must return them as they were.
zh: 留下的位置被换成了缓存内位置 0、1、2……；函数应当原样返回原来的位置。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, torch.arange(S)
    kept = torch.cat([torch.arange(sinks), torch.arange(S - budget + sinks, S)])
    return k[:, :, kept], v[:, :, kept], torch.arange(budget)
