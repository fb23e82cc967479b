"""en: Puts the weights through a softmax: they lose their signs and their size.
zh: 对权重做了 softmax：正负和大小都丢了。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float().softmax(1)[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
