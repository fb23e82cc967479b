"""en: Takes exp of the scores as they are: it overflows above 88 in float32; subtract each row's maximum first.
zh: 直接对分数取 exp：float32 下超过 88 就溢出；应当先减去每一行的最大值。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).exp()
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights @ values).to(q.dtype)
