"""en: Returns the numbers of the slots that stay, not their positions; the two differ as soon as there are gaps.
zh: 返回的是留下的槽位号，而不是它们的位置；位置一有缺口，两者就不同了。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    kept = torch.cat([torch.arange(sinks), torch.arange(S - budget + sinks, S)])
    return k[:, :, kept], v[:, :, kept], kept
