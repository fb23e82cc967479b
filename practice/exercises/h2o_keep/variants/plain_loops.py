"""No tensor arithmetic: Python sums, sorted keys."""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    count, first_recent = min(budget, S), max(0, S - recent)
    rows = []
    for head in attn.tolist():
        totals = [sum(row[key] for row in head) for key in range(S)]
        by_total = sorted(range(first_recent), key=totals.__getitem__, reverse=True)
        heavy = by_total[: count - (S - first_recent)]
        rows.append(sorted(heavy) + list(range(first_recent, S)))
    return torch.tensor(rows, dtype=torch.int64).reshape(len(attn), count)
