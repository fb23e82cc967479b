"""en: Leaves out the votes of the newest `recent` queries; they protect their keys, and vote like all others.
zh: 漏掉了最新 `recent` 个 query 的概率；它们的 key 受保护，它们自己也照样要计入总和。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn[:, : max(0, attn.shape[1] - recent)].sum(1, dtype=torch.float32)
    totals[:, S - recent :] = torch.inf
    kept = totals.topk(min(budget, S)).indices
    return kept.sort().values
