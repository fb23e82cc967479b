"""en: Takes a softmax over the cache and one over the chunk, and averages or adds: one softmax runs over both.
zh: 对缓存和块各做一次 softmax，再取平均或相加；应当对两者一起做一次 softmax。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(cached)
    scores = q.float() @ keys.mT * D**-0.5
    scores = scores.masked_fill(~visible, -torch.inf)
    weights = torch.cat([scores[..., :cached].softmax(-1), scores[..., cached:].softmax(-1)], dim=-1)
    return (weights @ values).to(q.dtype), k, v
