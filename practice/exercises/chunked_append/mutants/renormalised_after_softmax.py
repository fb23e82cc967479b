"""en: Divides by the sum of the visible weights: where the future scores highest, they have underflowed to 0 / 0.
zh: softmax 之后再除以可见权重之和：如果未来的分数最高，可见的权重早已下溢，成了 0 / 0。
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
    weights = weights / weights.sum(-1, keepdim=True)
    return (weights @ values).to(q.dtype), k, v
