"""en: Splits the mask's heads into [group, n_kv]; like those of q they are [n_kv, group].
zh: 把掩码的头拆成了 [group, n_kv]；它与 q 的头一样，应当是 [n_kv, group]。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    if mask.dim() == 4:
        mask = mask.unflatten(1, (group, -1)).transpose(1, 2).flatten(1, 2)
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
