"""en: `repeat` for keys and `repeat_interleave` for values, or the reverse: weights meet another KV head's values.
zh: key 用 `repeat`、value 用 `repeat_interleave`（或者反过来）：权重乘到了另一个 KV 头的 value 上。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    values = v.float().repeat(1, group, 1, 1)
    keys = k.float().repeat_interleave(group, dim=1)
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
