"""en: Off by one: a token sees the one after it.
zh: 差一错误：token 看到了它后面的那一个。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(cached + 1)
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype), k, v
