"""Totals as a decoder has them, query after query, in numpy; heavy hitters and the newest are joined."""

import numpy as np
import torch


def h2o_keep(attn, budget, recent):
    num_heads, num_queries, S = attn.shape
    totals = np.zeros((num_heads, S), dtype=np.float32)
    for query in range(num_queries):
        totals += attn[:, query].float().numpy()
    newest = np.arange(max(0, S - recent), S)
    others = totals[:, : S - len(newest)]
    heavy = np.argsort(-others, axis=1, kind="stable")[:, : min(budget, S) - len(newest)]
    kept = np.concatenate([heavy, np.tile(newest, (num_heads, 1))], axis=1)
    return torch.from_numpy(np.sort(kept, axis=1))
