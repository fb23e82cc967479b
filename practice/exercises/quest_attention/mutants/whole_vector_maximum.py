"""en: Takes the larger of the whole dot products with kmin and kmax; it is to be chosen channel by channel.
zh: 取 q 与 kmin、kmax 的两个完整点积中较大的一个；应当逐通道取较大者再求和。
"""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    num_heads, (num_kv_heads, S, D), pages = len(q), k.shape, kmin.shape[1]
    count = pages if budget >= S else max(1, budget // page)
    rows = []
    for head in range(num_heads):
        kv = head // (num_heads // num_kv_heads)
        query, low, high = q[head].float(), kmin[kv].float(), kmax[kv].float()
        bounds = torch.maximum(low @ query, high @ query)
        bounds[-1] = torch.inf
        best = bounds.topk(count).indices.tolist()
        slots = [slot for chosen in best for slot in range(chosen * page, min(S, (chosen + 1) * page))]
        keys, values = k[kv, slots].float(), v[kv, slots].float()
        weights = (keys @ query * D**-0.5).softmax(0)
        rows.append(weights @ values)
    return torch.stack(rows).to(q.dtype)
