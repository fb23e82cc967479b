"""en: Always keeps key 0 as well, as a sink; H2O has no sinks: key 0 stays where its total is large enough.
zh: 额外保留了第 0 个 key，当作 sink；H2O 没有 sink，第 0 个 key 也要总和够大才留下。
"""

import torch


def h2o_keep(attn, budget, recent):
    S = attn.shape[2]
    totals = attn.sum(1, dtype=torch.float32)
    totals[:, S - recent :] = torch.inf
    if recent < budget:
        totals[:, :1] = torch.inf
    return totals.topk(min(budget, S)).indices.sort().values
