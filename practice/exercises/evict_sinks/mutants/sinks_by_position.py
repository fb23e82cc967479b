"""en: Takes as sinks the slots whose position is below `sinks`; the sinks are the first slots, wherever they stand.
zh: 把位置小于 `sinks` 的槽位当作 sink；sink 是最前面的槽位，与它们的位置编号无关。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    keep = (positions < sinks) | (torch.arange(S) >= S - (budget - sinks))
    return k[:, :, keep], v[:, :, keep], positions[keep]
