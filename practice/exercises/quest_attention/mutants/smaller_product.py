"""en: Takes the smaller product in each channel: a lower bound of the scores, by which the best page may be left out.
zh: 每个通道取了两个乘积中较小的一个：这是分数的下界，最好的页可能会被漏掉。
"""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    num_heads, (num_kv_heads, S, D), pages = len(q), k.shape, kmin.shape[1]
    count = pages if budget >= S else max(1, budget // page)
    rows = []
    for head in range(num_heads):
        kv = head // (num_heads // num_kv_heads)
        query, low, high = q[head].float(), kmin[kv].float(), kmax[kv].float()
        bounds = torch.minimum(query * low, query * high).sum(-1)
        bounds[-1] = torch.inf
        best = bounds.topk(count).indices.tolist()
        slots = [slot for chosen in best for slot in range(chosen * page, min(S, (chosen + 1) * page))]
        keys, values = k[kv, slots].float(), v[kv, slots].float()
        weights = (keys @ query * D**-0.5).softmax(0)
        rows.append(weights @ values)
    return torch.stack(rows).to(q.dtype)
