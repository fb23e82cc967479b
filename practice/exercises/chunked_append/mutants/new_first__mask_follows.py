"""en: Puts the chunk before the cache; slots are in the order of the text, the cache first.
zh: 把新块放在了缓存前面；槽位按文本顺序排列，缓存在前。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_new, k_cache], dim=2), torch.cat([v_new, v_cache], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril()
    visible[:, T:] = True
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype), k, v
