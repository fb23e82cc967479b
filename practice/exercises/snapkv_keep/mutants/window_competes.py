"""en: Lets the window compete: all S keys are pooled and the best stay, whether they are in the window or not.
zh: 让窗口也参与竞争：S 个 key 一起池化、取最好的，窗口里的也可能落选。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    S = attn.shape[3]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn.float().sum((1, 2))
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    best = pooled.topk(budget).indices
    return best.sort().values
