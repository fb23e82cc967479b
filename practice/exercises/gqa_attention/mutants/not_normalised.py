"""en: Never divides by the sum of the exponentials: what it returns is a sum, and no mean.
zh: 没有除以指数之和：返回的是加权和，而不是加权平均。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    scores = scores.masked_fill(~mask, -torch.inf)
    weights = (scores - scores.amax(-1, keepdim=True)).exp()
    return (weights @ values).to(q.dtype)
