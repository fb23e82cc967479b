"""en: The right keys as topk gives them, the window behind; the result is to be ascending.
zh: 选对了 key，却按 topk 的顺序排列，窗口接在后面；返回值必须升序。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    votes = attn.float().sum((1, 2))
    votes[:, S - W :] = 0
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    pooled[:, S - W :] = torch.inf
    return pooled.topk(min(budget, S)).indices
