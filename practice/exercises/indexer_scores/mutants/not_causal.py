"""en: Hides nothing: a query scores keys of tokens that come after it.
zh: 什么也没隐藏：query 给排在它后面的 token 也打了分。
"""


def indexer_scores(q_idx, k_idx, weights):
    dots = q_idx.float() @ k_idx.float().mT  # [T, H, S]
    scores = (weights.float()[:, :, None] * dots.relu()).sum(1)
    return scores.to(q_idx.dtype)
