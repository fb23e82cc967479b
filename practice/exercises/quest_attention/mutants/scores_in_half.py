"""en: Computes scores in the input's dtype: in bfloat16 a score of some hundreds is off by one, its weight by a factor.
zh: 用输入的 dtype 计算分数：在 bfloat16 里，几百的分数会差到 1，权重就差了几倍。
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
        slots = [slot for chosen in best for slot in range(chosen * page, min(S, (chosen + 1) * page))]
        keys, values = k[kv, slots].float(), v[kv, slots].float()
        weights = (keys.to(q.dtype) @ q[head] * D**-0.5).softmax(0).float()
        rows.append(weights @ values)
    return torch.stack(rows).to(q.dtype)
