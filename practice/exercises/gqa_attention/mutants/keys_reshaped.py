"""en: Reshapes the keys to [D, S] in place of transposing them: channels of different keys are mixed.
zh: 把 key 用 reshape 变成 [D, S]，而不是转置：不同 key 的通道混在了一起。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.reshape(*keys.shape[:2], D, -1) * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
