"""en: Rectifies the weighted sum: heads have cancelled by then, and a score below 0 becomes 0.
zh: 对加权和做 ReLU：各头已经互相抵消，低于 0 的分数也变成了 0。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots).sum(1).relu()
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
