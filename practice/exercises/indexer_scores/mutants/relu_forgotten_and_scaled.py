"""en: Scores as attention does, scaled and without the ReLU: negative dot products cancel what other heads have found.
zh: 像注意力那样打分，做了缩放却没有 ReLU：负的点积抵消了别的头的发现。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT * q_idx.shape[2] ** -0.5  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
