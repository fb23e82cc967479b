"""en: Chooses along T, the dimension of the queries: a key picks queries, and how many keys a query gets is chance.
zh: 沿着 query 的维度 T 来选：成了每个 key 挑选 query，一个 query 留下几个 key 全凭运气。
"""

import torch


def topk_mask(scores, budget):
    best = scores.topk(min(budget, scores.shape[-2]), dim=-2).indices
    chosen = torch.zeros_like(scores, dtype=torch.bool).scatter(-2, best, True)
    return chosen & scores.isfinite()
