"""en: Scales by D ** -0.5: the weights hold every scale already.
zh: 又乘了 D ** -0.5：所有缩放都已经在权重里了。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT * q_idx.shape[2] ** -0.5  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
