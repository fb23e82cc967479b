"""en: Takes the number of keys, k.shape[2], for D; the scale comes from the channels, the last dimension.
zh: 把 key 的个数 k.shape[2] 当成了 D；缩放用的是通道数，即最后一维。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = k.shape[2], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
