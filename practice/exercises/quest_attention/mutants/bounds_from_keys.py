"""en: Computes the bounds from the keys: that reads all of K, and the bounds were given.
zh: 用 key 重新计算上下界：这样要读完整个 K，而上下界本来已经给了。
"""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    num_heads, (num_kv_heads, S, D), pages = len(q), k.shape, kmin.shape[1]
    count = pages if budget >= S else max(1, budget // page)
    rows = []
    for head in range(num_heads):
        kv = head // (num_heads // num_kv_heads)
        query, split = q[head].float(), k[kv].float().split(page)
        low, high = torch.stack([keys.amin(0) for keys in split]), torch.stack([keys.amax(0) for keys in split])
        bounds = torch.maximum(query * low, query * high).sum(-1)
        bounds[-1] = torch.inf
        best = bounds.topk(count).indices.tolist()
        slots = [slot for chosen in best for slot in range(chosen * page, min(S, (chosen + 1) * page))]
        keys, values = k[kv, slots].float(), v[kv, slots].float()
        weights = (keys @ query * D**-0.5).softmax(0)
        rows.append(weights @ values)
    return torch.stack(rows).to(q.dtype)
