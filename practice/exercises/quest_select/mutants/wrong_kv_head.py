"""en: Query head h reads KV head h % n_kv; it shares KV head h // (n_heads // n_kv) with its neighbours.
zh: query 头 h 用了第 h % n_kv 个 KV 头；应当与相邻的头共用第 h // (n_heads // n_kv) 个。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, _) = len(q), k.shape
    group = num_heads // num_kv_heads
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    split = k.float().split(page, dim=1)
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat(group, 1, 1)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat(group, 1, 1)
    query = q.float()[:, None]
    bounds = torch.maximum(query * low, query * high).sum(-1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(max(1, budget // page), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
