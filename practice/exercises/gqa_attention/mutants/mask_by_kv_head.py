"""en: Looks up the mask under the number of the KV head; a mask of four dimensions has one for each query head.
zh: 用 KV 头的编号去取掩码；四维掩码里每个 query 头各有一个。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    heads = torch.arange(q.shape[1]) // group
    mask = mask[:, heads] if mask.dim() == 4 else mask
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
