"""en: The evicted slots are set to zero and stay; they must go, or nothing is saved.
zh: 被淘汰的槽位只是清零，仍占着位置；应当真正删掉，否则什么也没省下。
"""

import torch


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    slot = torch.arange(S)
    keep = (slot < sinks) | (slot >= S - budget + sinks)
    mask = keep[:, None]
    return k * mask, v * mask, positions * keep
