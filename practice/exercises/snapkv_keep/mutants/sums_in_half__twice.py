"""en: Sums in the input's dtype: bfloat16 holds 8 significant bits, so votes that differ become the same.
zh: 用输入的 dtype 求和：bfloat16 的有效位只有 8 个二进制位，本来不同的得票变得相等。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].sum(2).sum(1)
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
