"""en: Gives the future the score 0, and exp(0) is 1: only a score of -inf has no weight.
zh: 把未来的分数变成 0，而 exp(0) 是 1：只有 -inf 的分数才没有权重。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(cached)
    scores = q.float() @ keys.mT * D**-0.5
    weights = (scores * visible).softmax(-1)
    return (weights @ values).to(q.dtype), k, v
