"""en: The right keys as topk gives them, the window behind; the result is to be ascending.
zh: 选对了 key，却按 topk 的顺序排列，窗口接在后面；返回值必须升序。
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
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1)
