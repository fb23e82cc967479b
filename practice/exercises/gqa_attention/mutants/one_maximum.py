"""en: Subtracts one maximum from all rows: a row far below it underflows to 0 / 0; each row has its own.
zh: 所有行减去同一个最大值：远低于它的行会下溢成 0 / 0；每一行应当减自己的最大值。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    scores = scores.masked_fill(~mask, -torch.inf)
    weights = (scores - scores.max()).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights @ values).to(q.dtype)
