"""en: Fills the last page up with zeros and attends to them: each has score 0, and takes weight away.
zh: 把最后一页用零补满，又对补的零做了注意力：它们的分数是 0，分走了权重。
"""

import torch
from torch.nn.functional import pad


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
        missing = len(best) * page - len(slots)
        keys, values = (pad(each, (0, 0, 0, missing)) for each in (keys, values))
        weights = (keys @ query * D**-0.5).softmax(0)
        rows.append(weights @ values)
    return torch.stack(rows).to(q.dtype)
