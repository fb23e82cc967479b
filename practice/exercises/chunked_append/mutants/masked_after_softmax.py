"""en: Zeroes the future's weights after the softmax: those that are left no longer sum to 1.
zh: 在 softmax 之后才把未来的权重置零：剩下的权重之和不再是 1。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(cached)
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.softmax(-1) * visible
    return (weights @ values).to(q.dtype), k, v
