"""en: Sums in the input's dtype: bfloat16 holds 8 significant bits, so votes that differ become the same.
zh: 用输入的 dtype 求和：bfloat16 的有效位只有 8 个二进制位，本来不同的得票变得相等。
"""

import torch
from torch.nn.functional import avg_pool1d


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    votes = attn.sum((1, 2))
    votes[:, S - W :] = 0
    pooled = avg_pool1d(votes, kernel, stride=1, padding=kernel // 2)
    pooled[:, S - W :] = torch.inf
    return pooled.topk(min(budget, S)).indices.sort().values
