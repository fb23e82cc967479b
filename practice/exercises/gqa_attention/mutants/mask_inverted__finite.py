"""en: Hides where the mask is True; True means that the query may attend.
zh: 把掩码为 True 的地方隐藏了；True 的意思是可以看。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(mask, torch.finfo(torch.float32).min).softmax(-1)
    return (weights @ values).to(q.dtype)
