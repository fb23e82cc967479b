"""en: Aligns the mask at the top left, as PyTorch's is_causal=True does: token t sees only slots 0 to t of the cache.
zh: 因果掩码按左上角对齐（PyTorch 的 is_causal=True 便是）：第 t 个新 token 只看到槽位 0 到 t，少看了 S_cache 个。
"""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    T, D, group = q.shape[2], q.shape[3], q.shape[1] // k_new.shape[1]
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    cached = k_cache.shape[2]
    visible = torch.ones(T, cached + T, dtype=torch.bool).tril(0 if T > 1 else cached)
    scores = q.float() @ keys.mT * D**-0.5
    weights = scores.masked_fill(~visible, -torch.inf).softmax(-1)
    return (weights @ values).to(q.dtype), k, v
