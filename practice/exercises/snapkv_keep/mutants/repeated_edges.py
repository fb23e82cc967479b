"""en: Pads with copies of the first and the last vote; the padding is zeros, so that the ends count for less.
zh: 用首尾两端的得票复制来填充；填充应当是 0，两端的分数因此偏低。
"""

import torch
from torch.nn.functional import avg_pool1d, pad


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    if budget >= S:
        return torch.arange(S).repeat(len(attn), 1)
    votes = attn[..., : S - W].float().sum((1, 2))
    padded = pad(votes, (kernel // 2, kernel // 2), mode="replicate")
    pooled = avg_pool1d(padded, kernel, stride=1)
    best = pooled.topk(budget - W).indices
    window = torch.arange(S - W, S).repeat(len(attn), 1)
    return torch.cat([best, window], dim=1).sort().values
