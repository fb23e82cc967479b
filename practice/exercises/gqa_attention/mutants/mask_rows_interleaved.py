"""en: Folds a group's heads into the queries, head by head, but repeats the mask row by row: rows get others' masks.
zh: 把同组的头按头的顺序并进 query 那一维，却逐行重复掩码：各行拿到的是别的行的掩码。
"""

import torch


def gqa_attention(q, k, v, mask):
    B, num_heads, T, D = q.shape
    num_kv_heads, S = k.shape[1:3]
    group = num_heads // num_kv_heads
    folded = q.float().reshape(B, num_kv_heads, group * T, D)
    rows = mask.repeat_interleave(group, dim=0) if mask.dim() == 2 else mask.reshape(B, num_kv_heads, group * T, S)
    scores = folded @ k.float().mT * D**-0.5
    weights = scores.masked_fill(~rows, -torch.inf).softmax(-1)
    return (weights @ v.float()).reshape(q.shape).to(q.dtype)
