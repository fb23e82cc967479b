"""en: Takes a softmax in each page and averages the pages; one softmax runs over all the keys that are read.
zh: 在每页内各做一次 softmax，再对页取平均；应当对读到的所有 key 做一次 softmax。
"""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    num_heads, (num_kv_heads, S, D), pages = len(q), k.shape, kmin.shape[1]
    count = pages if budget >= S else max(1, budget // page)
    rows = []
    for head in range(num_heads):
        kv = head // (num_heads // num_kv_heads)
        query, low, high = q[head].float(), kmin[kv].float(), kmax[kv].float()
        bounds = torch.maximum(query * low, query * high).sum(-1)
        bounds[-1] = torch.inf
        best = bounds.topk(count).indices.tolist()
        parts = [slice(chosen * page, (chosen + 1) * page) for chosen in best]
        weights = [(k[kv, part].float() @ query * D**-0.5).softmax(0) for part in parts]
        outs = [weight @ v[kv, part].float() for weight, part in zip(weights, parts, strict=True)]
        rows.append(torch.stack(outs).mean(0))
    return torch.stack(rows).to(q.dtype)
