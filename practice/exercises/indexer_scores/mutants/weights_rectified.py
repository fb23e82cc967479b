"""en: Rectifies the weights as well: a negative weight takes points away from a key.
zh: 对权重也做了 ReLU：负权重本来要给 key 减分。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None].relu() * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
