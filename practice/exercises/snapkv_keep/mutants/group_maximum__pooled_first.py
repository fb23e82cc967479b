"""en: Each key's vote is the largest of its group's heads; the heads' votes are to be summed.
zh: 取组内各 query 头得票的最大值；各头的得票应当相加。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    heads = attn[..., : S - W].float().sum(2)
    flat = avg_pool1d(heads.flatten(0, 1), kernel, stride=1, padding=kernel // 2)
    pooled = flat.reshape(heads.shape).amax(1)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
