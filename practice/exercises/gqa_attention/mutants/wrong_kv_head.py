"""en: Query head h reads KV head h % n_kv (`repeat`); the heads of a group are neighbours (`repeat_interleave`).
zh: query 头 h 用了第 h % n_kv 个 KV 头（`repeat`）；同组的头是相邻的（`repeat_interleave`）。
"""

import torch


def gqa_attention(q, k, v, mask):
    D, group = q.shape[3], q.shape[1] // k.shape[1]
    keys, values = (each.float().repeat(1, group, 1, 1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~mask, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype)
