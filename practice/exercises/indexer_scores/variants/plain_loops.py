"""No tensor arithmetic: Python numbers, and only the keys that a query sees."""

import torch


def indexer_scores(q_idx, k_idx, weights):
    queries, keys = q_idx.tolist(), k_idx.tolist()
    scores = torch.full((len(queries), len(keys)), -torch.inf, dtype=q_idx.dtype)
    for t, (heads, row) in enumerate(zip(queries, weights.tolist(), strict=True)):
        for s, key in enumerate(keys[: len(keys) - len(queries) + t + 1]):
            dots = [sum(x * y for x, y in zip(head, key, strict=True)) for head in heads]
            scores[t, s] = sum(weight * max(dot, 0.0) for weight, dot in zip(row, dots, strict=True))
    return scores
