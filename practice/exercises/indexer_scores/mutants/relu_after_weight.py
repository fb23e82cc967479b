"""en: Rectifies after the weight: a head with a negative weight then votes for what it dislikes, and never against.
zh: 乘过权重之后才做 ReLU：权重为负的头，本该减分的不减，点积为负的反倒加分。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots).relu().sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
