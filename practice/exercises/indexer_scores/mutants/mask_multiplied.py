"""en: Multiplies -inf by the mask: 0 * -inf is NaN, and every visible score is lost.
zh: 拿 -inf 去乘掩码：0 * -inf 是 NaN，可见的分数全丢了。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return (scores + future * -torch.inf).to(q_idx.dtype)
