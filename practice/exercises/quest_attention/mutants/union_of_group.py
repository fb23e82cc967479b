"""en: Every head attends to its whole group's pages: they may be read together, but each head counts its own only.
zh: 每个头都对整组选中的页做注意力：一起读可以，但每个头只能算自己选中的页。
"""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    (num_kv_heads, S, D), group = k.shape, len(q) // len(k)
    low, high = (each.float().repeat_interleave(group, dim=0) for each in (kmin, kmax))
    query = q.float()[:, None]
    bounds = torch.maximum(query * low, query * high).sum(-1)
    bounds[:, -1] = torch.inf
    count = kmin.shape[1] if budget >= S else max(1, budget // page)
    chosen = torch.zeros_like(bounds, dtype=torch.bool).scatter(1, bounds.topk(count).indices, True)
    mask = chosen.repeat_interleave(page, dim=1)[:, :S].reshape(num_kv_heads, group, S)
    read = mask.any(1, keepdim=True)
    rows = []
    for queries, keys, values, own in zip(q.float().chunk(num_kv_heads), k, v, read[:, 0], strict=True):
        weights = (queries @ keys[own].float().T * D**-0.5).softmax(-1)
        rows.append(weights @ values[own].float())
    return torch.cat(rows).to(q.dtype)
