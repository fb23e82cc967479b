"""en: Takes mask[0, 0] for all heads and sequences; a mask of four dimensions has one for each.
zh: 所有头、所有序列都用了 mask[0, 0]；四维掩码里每个头、每个序列各有一个。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    mask = mask[0, 0] if mask.dim() == 4 else mask
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
