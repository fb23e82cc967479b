"""One query head at a time: its pages, their slots, a plain softmax."""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    num_heads, (num_kv_heads, S, D), pages = len(q), k.shape, kmin.shape[1]
    out = torch.empty_like(q)
    for head in range(num_heads):
        kv = head // (num_heads // num_kv_heads)
        query = q[head].float()
        bounds = torch.maximum(query * kmin[kv].float(), query * kmax[kv].float()).sum(-1)
        others = bounds[:-1].argsort(descending=True)[: max(1, budget // page) - 1].tolist()
        kept = range(pages) if budget >= S else [*others, pages - 1]
        slots = [slot for chosen in kept for slot in range(chosen * page, min(S, chosen * page + page))]
        weights = torch.softmax(k[kv, slots].float() @ query / D**0.5, dim=0)
        out[head] = (weights @ v[kv, slots].float()).to(q.dtype)
    return out
