"""en: Reshapes q_idx to [H, T, D]: that mixes queries and heads; swapping dimensions takes a transpose.
zh: 把 q_idx reshape 成 [H, T, D]：query 与头混在了一起；交换维度要用 transpose。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    mixed = q_idx.float().reshape(q_idx.shape[1], T, -1) if T else q_idx.float().transpose(0, 1)
    dots = (mixed @ k_idx.float().mT).transpose(0, 1)  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
