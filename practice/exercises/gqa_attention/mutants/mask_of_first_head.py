"""en: Uses the mask of head 0 for all heads; a mask of four dimensions has one for each query head.
zh: 所有头都用了第 0 个头的掩码；四维掩码里每个 query 头各有一个。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    mask = mask[:, :1] if mask.dim() == 4 else mask
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
