"""en: Takes the first W keys for the window, like sinks; the window is the last W keys.
zh: 把最前面的 W 个 key 当成了窗口（像 sink 那样）；窗口是最后的 W 个 key。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., W:].float().sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget - W).indices + W
    window = torch.arange(W).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
