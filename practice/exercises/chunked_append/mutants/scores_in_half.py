"""en: Computes scores in the input's dtype: in bfloat16 a score of some hundreds is off by one, its weight by a factor.
zh: 用输入的 dtype 计算分数：在 bfloat16 里，几百的分数会差到 1，权重就差了几倍。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(cached)
    scores = (q @ keys.to(q.dtype).mT * D**-0.5).float()
    weights = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype), k, v
