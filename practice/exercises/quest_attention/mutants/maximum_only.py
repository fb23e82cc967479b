"""en: Uses the page's maximum only: where q is negative the largest product comes from the minimum.
zh: 只用了每页的最大值：q 为负的通道上，最大的乘积来自最小值。
"""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    num_heads, (num_kv_heads, S, D), pages = len(q), k.shape, kmin.shape[1]
    count = pages if budget >= S else max(1, budget // page)
    rows = []
    for head in range(num_heads):
        kv = head // (num_heads // num_kv_heads)
        query, high = q[head].float(), kmax[kv].float()
        bounds = (query * high).sum(-1)
        bounds[-1] = torch.inf
        best = bounds.topk(count).indices.tolist()
        slots = [slot for chosen in best for slot in range(chosen * page, min(S, (chosen + 1) * page))]
        keys, values = k[kv, slots].float(), v[kv, slots].float()
        weights = (keys @ query * D**-0.5).softmax(0)
        rows.append(weights @ values)
    return torch.stack(rows).to(q.dtype)
