"""en: Computes scores in the input's dtype: in bfloat16 a score of some hundreds is off by one, its weight by a factor.
zh: 用输入的 dtype 计算分数：在 bfloat16 里，几百的分数会差到 1，权重就差了几倍。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = (q @ keys.to(q.dtype).mT * D**-0.5).float()
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
