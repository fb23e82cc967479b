"""en: Aligns the mask at the top left: query 0 sees key 0 alone, though it comes after S - T others.
zh: 掩码按左上角对齐：query 0 只看见 key 0，可它前面还有 S - T 个 key。
"""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    future = torch.ones(T, S, dtype=torch.bool).triu(1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
