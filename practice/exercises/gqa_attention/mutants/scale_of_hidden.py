"""en: Takes D for the width of all heads together; the scale comes from one head's D, the last dimension of q.
zh: 把 D 当成了所有头合起来的宽度；缩放用的是单个头的 D，即 q 的最后一维。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[1] * q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
