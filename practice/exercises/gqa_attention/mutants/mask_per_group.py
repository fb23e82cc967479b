"""en: All heads of a group use its first head's mask; they share keys and values, not masks.
zh: 同组的头都用了组内第一个头的掩码；它们共享 key 和 value，不共享掩码。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    mask = mask[:, ::group].repeat_interleave(group, dim=1) if mask.dim() == 4 else mask
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
