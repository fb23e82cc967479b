"""en: Pools before the window is cut off: the window's votes, the greatest of all, leak into the keys just before it.
zh: 先池化再切掉窗口：窗口自己的得票最高，会渗进紧挨着它的那几个 key。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    pooled = avg_pool1d(attn.float().sum((1, 2)), kernel, stride=1, padding=kernel // 2)
    pooled[:, S - W :] = torch.inf
    return pooled.topk(min(budget, S)).indices.sort().values
