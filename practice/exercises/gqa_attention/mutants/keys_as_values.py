"""en: Weights the keys and adds those up; what is mixed are the values.
zh: 加权求和的是 key；应当混合的是 value。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys = k.float().repeat_interleave(group, dim=1)
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ keys).to(q.dtype)
