"""en: All query heads read KV head 0: that is MQA, and the other KV heads are never read.
zh: 所有 query 头都用第 0 个 KV 头：这是 MQA，其余的 KV 头从未被读过。
"""

import torch


def gqa_attention(q, k, v, mask):
    D = q.shape[3]
    keys, values = (each[:, :1].float().expand(-1, q.shape[1], -1, -1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
