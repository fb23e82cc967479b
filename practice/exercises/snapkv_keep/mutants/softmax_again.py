"""en: Takes the softmax of a softmax: the differences flatten, and all keys look alike.
zh: 对 softmax 的结果再做一次 softmax：差别被压平，所有 key 看上去都差不多。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn.float().softmax(-1)[..., : S - W].sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
