"""en: Off by one: hides the query's own key too; it sees itself.
zh: 差一错误：把 query 自己的 key 也隐藏了；它应当看得见自己。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
