"""en: Multiplies |q| by the largest |k| of each channel: a bound, but a loose one, and never negative.
zh: 用 |q| 乘以每个通道最大的 |k|：也是上界，但太松，而且永远不为负。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = k.float().abs().split(page, dim=1)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    return (q.float().abs()[:, None] * high).sum(-1).to(q.dtype)
