"""en: Pools with the default stride, which is the kernel: the results number groups of keys, and are taken for keys.
zh: 池化时没写 stride，默认等于 kernel：结果的下标是一段段 key 的编号，却被当成了 key。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].float().sum((1, 2))
    pooled = avg_pool1d(votes, kernel)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
