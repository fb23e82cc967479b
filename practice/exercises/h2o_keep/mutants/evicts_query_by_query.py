"""en: Evicts after every query, and what has gone stays away; here all T rows are given, and the choice is made once.
zh: 逐个 query 边走边淘汰，淘汰了就回不来；这里 T 行都已给出，只在最后选一次。
"""

import torch


def h2o_keep(attn, budget, recent):
    num_heads, T, S = attn.shape
    totals = torch.zeros(num_heads, S)
    gone = torch.zeros(num_heads, S, dtype=torch.bool)
    for query, end in enumerate(range(S - T + 1, S + 1)):
        totals += attn[:, query].float()
        ranked = totals.masked_fill(gone, -torch.inf)[:, :end]
        ranked[:, max(0, end - recent) :] = torch.inf
        lightest = ranked.argsort(stable=True)[:, : max(0, end - budget)]
        gone.scatter_(1, lightest, True)
    return (~gone).nonzero()[:, 1].reshape(num_heads, min(budget, S))
