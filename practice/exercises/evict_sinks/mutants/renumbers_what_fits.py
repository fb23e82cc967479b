"""en: Renumbers the positions when nothing has to go; "unchanged" holds for positions too.
zh: 什么都不用淘汰时给位置重新编号；“原样返回”也包括位置。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, torch.arange(S)
    keep = torch.cat([torch.arange(sinks), torch.arange(S - (budget - sinks), S)])
    return k[:, :, keep], v[:, :, keep], positions[keep]
