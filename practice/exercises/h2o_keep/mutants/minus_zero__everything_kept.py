"""en: With recent = 0 the slice [-recent:] is [-0:], every key: all are protected, and the totals decide nothing.
zh: recent = 0 时切片 [-recent:] 成了 [-0:]，也就是全部 key：全都受保护，总和不起任何作用。
"""

import torch


def h2o_keep(attn, budget, recent):
    num_heads, _, S = attn.shape
    if budget >= S:
        return torch.arange(S).repeat(num_heads, 1)
    totals = attn.float().sum(1)
    heavy = totals[:, : S - recent].topk(budget - recent).indices
    newest = torch.arange(S)[-recent:].repeat(num_heads, 1)
    return torch.cat([heavy, newest], dim=1).sort().values
