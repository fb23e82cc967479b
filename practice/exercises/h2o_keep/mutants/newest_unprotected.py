"""en: Ignores `recent`: a new key has had no time to draw attention, and by its total alone it is the first to go.
zh: 没有理会 `recent`：新 key 还来不及积累注意力，只看总和的话最先被淘汰的就是它。
"""

import torch


def h2o_keep(attn, budget, recent):
    totals = attn.sum(1, dtype=torch.float32)
    return totals.topk(min(budget, attn.shape[2])).indices.sort().values
