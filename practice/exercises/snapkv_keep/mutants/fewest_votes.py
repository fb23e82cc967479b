"""en: Keeps the keys with the fewest votes (argsort ascends): all that the window looked at is thrown away.
zh: 留下的是得票最少的 key（argsort 默认升序）：窗口关注的反而全丢了。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].float().sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.argsort()[:, : budget - W]
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
