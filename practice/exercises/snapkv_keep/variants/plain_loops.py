"""No tensor arithmetic: Python sums over neighbours, sorted keys."""

import torch


def snapkv_keep(attn, budget, kernel):
    W, S = attn.shape[2:]
    half, prefix = kernel // 2, S - W
    rows = []
    for group in attn.tolist():
        votes = [sum(row[key] for head in group for row in head) for key in range(prefix)]
        near = [sum(votes[max(0, key - half) : key + half + 1]) for key in range(prefix)]
        ranked = sorted(range(prefix), key=near.__getitem__, reverse=True)
        rows.append(sorted(ranked[: budget - W]) + list(range(prefix, S)))
    return torch.tensor(rows, dtype=torch.int64)
