"""en: Hides what the query sees and shows it the future: the mask is the wrong way round.
zh: 掩码反了：该看见的隐藏了，该隐藏的却看见了。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(~future, -torch.inf).to(q_idx.dtype)
