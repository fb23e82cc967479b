"""en: No mask: every token of the chunk sees the whole chunk, its own future too.
zh: 没有掩码：块内每个 token 都看到整个块，也就看到了自己的未来。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    D, group = q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.softmax(-1)
    return (weights @ values).to(q.dtype), k, v
