"""en: Multiplies the length of q by that of the longest key: a bound, but one that does not know any direction.
zh: 用 q 的长度乘以页内最长 key 的长度：也是上界，但完全不看方向。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    lengths = torch.stack([keys.norm(dim=-1).amax(1) for keys in k.float().split(page, dim=1)], dim=1)
    return (q.float().norm(dim=-1, keepdim=True) * lengths.repeat_interleave(group, dim=0)).to(q.dtype)
