"""en: Protects the last `kernel` keys; the window is as long as there are rows, W.
zh: 保护的是最后 `kernel` 个 key；窗口的长度是行数 W。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    votes = attn.float().sum((1, 2))
    votes[:, S - W :] = 0
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    pooled[:, S - kernel :] = torch.inf
    return pooled.topk(min(budget, S)).indices.sort().values
