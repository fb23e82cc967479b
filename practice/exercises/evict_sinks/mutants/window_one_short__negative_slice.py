"""en: Off by one: the window is one slot too short, and a slot that may stay is evicted.
zh: 差一错误：窗口少了一个槽位，本可留下的槽位被淘汰了。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    if budget >= len(positions):
        return k, v, positions
    recent = budget - sinks - 1

    def joined(tensor, dim):
        first = tensor.narrow(dim, 0, sinks)
        return torch.cat([first, tensor.movedim(dim, 0)[-recent:].movedim(0, dim)], dim=dim)

    return joined(k, 2), joined(v, 2), joined(positions, 0)
