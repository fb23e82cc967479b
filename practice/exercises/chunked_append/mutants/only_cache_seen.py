"""en: Attends before it appends: the new tokens see the cache, and neither themselves nor each other.
zh: 先做注意力、后追加：新 token 只看到缓存，看不到自己，也看不到彼此。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    D, group = q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k_cache, v_cache))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.softmax(-1)
    return (weights @ values).to(q.dtype), k, v
