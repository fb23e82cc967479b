"""en: Hides with a number such as -10,000 in place of -inf: visible scores may be lower, and then it hides nothing.
zh: 用 -10,000 之类的数代替 -inf 来隐藏：可见的分数可能比它还低，那就什么也没藏住。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(cached)
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~visible, -100).softmax(-1)
    return (weights @ values).to(q.dtype), k, v
