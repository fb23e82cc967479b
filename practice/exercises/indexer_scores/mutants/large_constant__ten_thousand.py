"""en: Hides with a large constant; to be told from a score, it must be -inf.
zh: 用很大的负常数来隐藏；要与真实的分数区分开，必须是 -inf。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -1e4).to(q_idx.dtype)
