"""en: Shifts the diagonal by the length of the chunk; what every token sees besides is the cache, S_cache slots.
zh: 对角线按块的长度移动了；每个 token 额外看到的是缓存，即 S_cache 个槽位。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(T)
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype), k, v
