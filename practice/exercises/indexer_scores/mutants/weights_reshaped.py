"""en: Reshapes the weights to [H, T] and transposes: that mixes queries and heads; a transpose alone reorders nothing.
zh: 把权重 reshape 成 [H, T] 再转置：query 与头混在了一起；reshape 并不是转置。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    mixed = weights.float().reshape(weights.shape[1], T).mT
    scores = (mixed[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
