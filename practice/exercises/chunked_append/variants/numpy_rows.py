"""Row by row in numpy: the keys of token t end with its own, so that nothing has to be hidden."""

import numpy as np
import torch


def chunked_append(q, k_new, v_new, k_cache, v_cache):
    k, v = torch.cat([k_cache, k_new], 2), torch.cat([v_cache, v_new], 2)
    group, cached = q.shape[1] // k.shape[1], k_cache.shape[2]
    queries, keys, values = (each.double().numpy() for each in (q, k, v))
    out = np.empty(queries.shape)
    for b, h, t in np.ndindex(*out.shape[:3]):
        seen = slice(0, cached + t + 1)
        scores = keys[b, h // group, seen] @ queries[b, h, t] / np.sqrt(q.shape[3])
        weights = np.exp(scores - scores.max())
        out[b, h, t] = weights / weights.sum() @ values[b, h // group, seen]
    return torch.from_numpy(out).to(q.dtype), k, v
