"""en: All heads of a group read the same pages, by the best bound among them; each query head has its own choice.
zh: 同组的头读同样的页（按组内最大的上界选）；应当由每个 query 头自己选。
"""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    num_heads, (num_kv_heads, S, D), pages = len(q), k.shape, kmin.shape[1]
    count = pages if budget >= S else max(1, budget // page)
    rows = []
    for head in range(num_heads):
        kv = head // (num_heads // num_kv_heads)
        query, low, high = q[head].float(), kmin[kv].float(), kmax[kv].float()
        group = num_heads // num_kv_heads
        queries = q[kv * group : (kv + 1) * group, None].float()
        bounds = torch.maximum(queries * low, queries * high).sum(-1).amax(0)
        bounds[-1] = torch.inf
        best = bounds.topk(count).indices.tolist()
        slots = [slot for chosen in best for slot in range(chosen * page, min(S, (chosen + 1) * page))]
        keys, values = k[kv, slots].float(), v[kv, slots].float()
        weights = (keys @ query * D**-0.5).softmax(0)
        rows.append(weights @ values)
    return torch.stack(rows).to(q.dtype)
