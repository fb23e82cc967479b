"""Reference: append first; then query t of the chunk sees all but the last T - 1 - t slots."""

import torch
from torch import Tensor


def chunked_append(
    q: Tensor, k_new: Tensor, v_new: Tensor, k_cache: Tensor, v_cache: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """q ``[B, n_heads, T, D]``, new ``[B, n_kv, T, D]``, cache ``[B, n_kv, S_cache, D]`` -> out like q, k, v."""
    k, v = torch.cat([k_cache, k_new], dim=2), torch.cat([v_cache, v_new], dim=2)
    T, S, D, group = q.shape[2], k.shape[2], q.shape[3], q.shape[1] // k.shape[1]
    visible = torch.ones(T, S, dtype=torch.bool).tril(S - T)
    keys, values = (each.float().repeat_interleave(group, dim=1) for each in (k, v))
    scores = (q.float() @ keys.mT * D**-0.5).masked_fill(~visible, -torch.inf)
    return (scores.softmax(-1) @ values).to(q.dtype), k, v
