"""en: Chooses for each query head, as the authors' code does: a GQA model then stores each KV head `group` times.
zh: 给每个 query 头各选一份（作者代码就是这样）：GQA 模型会因此把每个 KV 头存 `group` 份。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(attn.shape[0] * attn.shape[1], 1)
    votes = attn[..., : S - W].float().sum(2)
    pooled = avg_pool1d(votes.flatten(0, 1), kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(best), 1)
    return torch.cat([best, window], dim=1).sort().values
