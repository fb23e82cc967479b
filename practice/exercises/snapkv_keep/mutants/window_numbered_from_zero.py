"""en: Numbers the window's keys 0 to W - 1, as its rows; among all keys they are S - W to S - 1.
zh: 把窗口的 key 编号成 0 到 W - 1（与行号相同）；在全部 key 里它们是 S - W 到 S - 1。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].float().sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget - W).indices
    window = torch.arange(W).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
