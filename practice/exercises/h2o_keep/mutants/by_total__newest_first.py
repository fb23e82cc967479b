"""en: The right keys in the order of their totals; a cache holds keys by position, so the indices must ascend.
zh: 选对了 key，却按总和排序；缓存里的 key 按位置排列，所以下标必须升序。
"""

import torch


def h2o_keep(attn, budget, recent):
    num_heads, _, S = attn.shape
    if budget >= S:
        return torch.arange(S).repeat(num_heads, 1)
    heavy = attn.float().sum(1)[:, : S - recent].topk(budget - recent).indices
    return torch.cat([torch.arange(S - recent, S).repeat(num_heads, 1), heavy], dim=1)
