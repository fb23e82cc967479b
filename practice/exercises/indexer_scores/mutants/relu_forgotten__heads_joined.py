"""en: Leaves the ReLU out: a negative dot product cancels what other heads have found.
zh: 漏了 ReLU：负的点积抵消了别的头的发现。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    joined = (weights.float()[:, :, None] * q_idx.float()).sum(1)  # [T, D]
    scores = joined @ k_idx.float().mT
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
