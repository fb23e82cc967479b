"""As decoding does it: append one token, let it see all that is there, take the next; no mask."""

import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    B, num_heads, T, D = q.shape
    k, v, rows = k_cache, v_cache, []
    for t in range(T):
        k, v = torch.cat([k, k_new[:, :, t : t + 1]], dim=2), torch.cat([v, v_new[:, :, t : t + 1]], dim=2)
        grouped = q[:, :, t].reshape(B, k.shape[1], -1, D).double()
        weights = torch.softmax(torch.einsum("bngd,bnsd->bngs", grouped, k.double()) / D**0.5, dim=-1)
        rows.append(torch.einsum("bngs,bnsd->bngd", weights, v.double()).reshape(B, num_heads, D))
    return torch.stack(rows, dim=2).to(q.dtype), k, v
