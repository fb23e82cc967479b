"""en: Off by one: a token does not see itself, as triu without diagonal=1 hides; with no cache token 0 sees nothing.
zh: 差一错误：token 看不到自己（用 triu 时漏了 diagonal=1 就会这样）；缓存为空时第 0 个 token 什么也看不到。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(q.shape[1] // k.shape[1], dim=1) for each in (k, v))
    rows = []
    for t in range(q.shape[2]):
        end = k_cache.shape[2] + t
        scores = q[:, :, t : t + 1].float() @ keys[:, :, :end].mT * q.shape[3] ** -0.5
        rows.append(scores.softmax(-1) @ values[:, :, :end])
    return torch.cat(rows, dim=2).to(q.dtype), k, v
