"""en: Leaves out the scale D ** -0.5: the scores are too large, and the softmax too sharp.
zh: 漏了缩放 D ** -0.5：分数偏大，softmax 过于尖锐。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, group = q.shape[2], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(cached)
    scores = q.float() @ keys.mT
    weights = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype), k, v
