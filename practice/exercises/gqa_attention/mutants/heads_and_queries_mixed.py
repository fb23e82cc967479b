"""en: Swaps heads and queries at the end and reshapes: the numbers are right and stand in wrong places.
zh: 最后交换了头与 query 两维再 reshape：数都对，位置却错了。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).transpose(1, 2).reshape(q.shape).to(q.dtype)
