"""en: Turns each head's dot products into softmax probabilities; the indexer rectifies, without any sum over keys.
zh: 把每个头的点积变成 softmax 概率；索引器只做 ReLU，用不着对 key 求和。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    probabilities = dots.masked_fill(future[:, None], -torch.inf).softmax(-1)
    scores = (weights.float()[:, :, None] * probabilities).sum(1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
