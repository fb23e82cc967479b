"""en: Chooses heavy hitters among all keys and then adds the newest: one that is both stands twice, or a place is lost.
zh: 在全部 key 里选 heavy hitter，再加上最新的：既是最新又是 heavy hitter 的 key 会出现两次，或者白白少留一个。
"""

import torch


def h2o_keep(attn, budget, recent):
    num_heads, _, S = attn.shape
    if budget >= S:
        return torch.arange(S).repeat(num_heads, 1)
    heavy = attn.float().sum(1).topk(budget - recent).indices
    newest = torch.arange(S - recent, S)
    return torch.stack([torch.cat([row, newest]).unique() for row in heavy])
