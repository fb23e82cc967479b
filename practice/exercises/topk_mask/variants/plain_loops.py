"""No tensor arithmetic: Python's sort, row by row, over the visible keys only."""

import torch


def topk_mask(scores, budget):
    *leading, S = scores.shape
    mask = []
    for row in scores.reshape(-1, S).tolist() if S else []:
        visible = [key for key, score in enumerate(row) if score != -torch.inf]
        best = set(sorted(visible, key=row.__getitem__, reverse=True)[:budget])
        mask.append([key in best for key in range(S)])
    return torch.tensor(mask, dtype=torch.bool).reshape(*leading, S)
