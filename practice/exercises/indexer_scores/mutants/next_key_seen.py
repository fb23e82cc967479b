"""en: Off by one: each query sees the key of the token after it.
zh: 差一错误：每个 query 都看见了下一个 token 的 key。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 2)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
