"""en: Returns probabilities: a softmax over the scores, which nothing asks for and which loses -inf.
zh: 返回的是概率：对分数又做了 softmax，既没人要，也丢了 -inf。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).softmax(-1).masked_fill(future, -torch.inf).to(q_idx.dtype)
