"""en: Leaves the window out: the chosen keys alone remain, and the newest tokens are lost.
zh: 漏掉了窗口：只剩选中的 key，最新的 token 全丢了。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].float().sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget).indices
    return best.sort().values
