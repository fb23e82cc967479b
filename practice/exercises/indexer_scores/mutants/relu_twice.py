"""en: Rectifies the result once more: weights may be negative, and so may scores.
zh: 对结果又做了一次 ReLU：权重可以为负，分数也可以为负。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1).relu()
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
