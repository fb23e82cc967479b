"""en: Does not pool: single keys with many votes stay without their neighbours, and a phrase falls to pieces.
zh: 没有池化：得票高的 key 孤零零留下，两旁的没留，一个短语就碎了。
"""

import torch


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].float().sum((1, 2))
    best = votes.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
