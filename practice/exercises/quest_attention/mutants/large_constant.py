"""en: Forces the last page with a large number instead of infinity; bounds that are larger still push it out.
zh: 用一个很大的数而不是无穷大来保住最后一页；上界比它还大时，最后一页就被挤掉。
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
        bounds[-1] = 1e4
        best = bounds.topk(count).indices.tolist()
        slots = [slot for chosen in best for slot in range(chosen * page, min(S, (chosen + 1) * page))]
        keys, values = k[kv, slots].float(), v[kv, slots].float()
        weights = (keys @ query * D**-0.5).softmax(0)
        rows.append(weights @ values)
    return torch.stack(rows).to(q.dtype)
