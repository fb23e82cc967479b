"""en: Gives hidden keys 0, which is no low score: where a visible one is negative, it loses to the future.
zh: 隐藏的 key 得 0 分，可 0 并不低：可见的 key 若是负分，就输给了未来的 token。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    dots = dots.masked_fill(future[:, None], -torch.inf)
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    return scores.to(q_idx.dtype)
