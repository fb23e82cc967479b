"""en: The average begins or ends at the key; it is to be centred on it, kernel // 2 keys on either side.
zh: 平均的范围从该 key 开始或到它结束；应当以它为中心，左右各 kernel // 2 个。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].float().sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
