"""en: Adds up the weighted values in the input's dtype: in bfloat16 each step rounds, and small terms vanish.
zh: 用输入的 dtype 逐个累加加权后的 value：在 bfloat16 里每一步都舍入，小的项会消失。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    out = torch.zeros_like(q)
    for slot in range(k.shape[2]):
        out += (weights[..., slot, None] * values[:, :, slot, None]).to(q.dtype)
    return out
