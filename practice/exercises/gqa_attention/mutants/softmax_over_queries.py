"""en: Takes the softmax over the queries; each query's weights are to sum to 1 over its keys, the last dimension.
zh: softmax 是沿着 query 那一维做的；每个 query 的权重应当在它的 key 上（最后一维）加起来等于 1。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-2)
    return (weights @ values).to(q.dtype)
