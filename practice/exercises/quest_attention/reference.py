"""Reference: bounds from kmin and kmax, then only the slots of the chosen pages are gathered, for each query head."""

import torch
from torch import Tensor


def quest_attention(q: Tensor, k: Tensor, v: Tensor, kmin: Tensor, kmax: Tensor, budget: int, page: int) -> Tensor:
    """Quest (Tang et al., 2024): q ``[n_heads, D]``, k, v ``[n_kv, S, D]``, kmin, kmax ``[n_kv, P, D]`` -> like q."""
    num_kv_heads, S, D = k.shape
    grouped = q.float().reshape(num_kv_heads, -1, D)  # [n_kv, group, D]
    # the most that q * key can be: q * kmax where q is positive, q * kmin where it is negative
    bounds = grouped.clamp(min=0) @ kmax.float().mT + grouped.clamp(max=0) @ kmin.float().mT  # [n_kv, group, P]
    bounds[..., -1] = torch.inf  # the last page is always read, and counted, whatever its bound
    count = kmin.shape[1] if budget >= S else max(1, budget // page)
    best = bounds.topk(count).indices[..., None]
    slots = (best * page + torch.arange(page)).flatten(2)  # [n_kv, group, count * page]; some past the end
    gather = torch.arange(num_kv_heads)[:, None, None], slots.clamp(max=S - 1)
    keys, values = k[gather].float(), v[gather].float()  # all that is read of k and v
    scores = grouped[:, :, None] @ keys.mT * D**-0.5  # [n_kv, group, 1, count * page]
    weights = scores.masked_fill(slots[:, :, None] >= S, -torch.inf).softmax(-1)
    return (weights @ values).reshape(q.shape).to(q.dtype)
