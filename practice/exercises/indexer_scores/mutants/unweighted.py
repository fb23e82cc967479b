"""en: Ignores the weights: which heads count, and in which direction, each query says for itself.
zh: 没用权重：哪些头算数、往哪个方向算，由每个 query 自己决定。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = dots.relu().sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
