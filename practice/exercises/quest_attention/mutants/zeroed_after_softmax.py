"""en: Takes the softmax over all keys and zeroes weights after it: they no longer sum to one, and all is read.
zh: 先对所有 key 做 softmax，再把权重置零：剩下的权重之和不再是 1，而且全部都读了。
"""

import torch


def quest_attention(q, k, v, kmin, kmax, budget, page):
    (num_kv_heads, S, D), group = k.shape, len(q) // len(k)
    low, high = (each.float().repeat_interleave(group, dim=0) for each in (kmin, kmax))
    query = q.float()[:, None]
    bounds = torch.maximum(query * low, query * high).sum(-1)
    bounds[:, -1] = torch.inf
    count = kmin.shape[1] if budget >= S else max(1, budget // page)
    chosen = torch.zeros_like(bounds, dtype=torch.bool).scatter(1, bounds.topk(count).indices, True)
    mask = chosen.repeat_interleave(page, dim=1)[:, :S].reshape(num_kv_heads, group, S)
    scores = q.float().reshape(num_kv_heads, group, D) @ k.float().mT * D**-0.5
    weights = scores.softmax(-1) * mask
    return (weights @ v.float()).reshape(q.shape).to(q.dtype)
