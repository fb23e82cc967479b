"""en: Query head h reads KV head h % n_kv; it shares KV head h // (n_heads // n_kv) with its neighbours.
zh: query 头 h 用了第 h % n_kv 个 KV 头；应当与相邻的头共用第 h // (n_heads // n_kv) 个。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = k.float().split(page, dim=1)
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat(group, 1, 1)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat(group, 1, 1)
    query = q.float()[:, None]
    return torch.maximum(query * low, query * high).sum(-1).to(q.dtype)
