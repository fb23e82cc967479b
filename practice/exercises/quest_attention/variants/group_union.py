"""Each KV head reads what any head of its group has chosen, once; a mask inside keeps the heads apart."""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    (num_kv_heads, S, D), pages = k.shape, kmin.shape[1]
    count = pages if budget >= S else max(1, budget // page)
    out = []
    for queries, keys, values, low, high in zip(q.float().chunk(num_kv_heads), k, v, kmin, kmax, strict=True):
        bounds = torch.maximum(queries[:, None] * low.float(), queries[:, None] * high.float()).sum(-1)
        bounds[:, -1] = torch.inf
        chosen = torch.zeros_like(bounds, dtype=torch.bool).scatter(1, bounds.topk(count).indices, True)
        chosen = chosen.repeat_interleave(page, dim=1)[:, :S]
        read = chosen.any(0).nonzero().flatten()
        scores = queries @ keys[read].float().T * D**-0.5
        out.append(scores.masked_fill(~chosen[:, read], -torch.inf).softmax(-1) @ values[read].float())
    return torch.cat(out).to(q.dtype)
