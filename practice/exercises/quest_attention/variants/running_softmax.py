"""Page after page with a running maximum and sum, as a kernel does it; queries scaled first, pages in any order."""

import math

import torch


def attend(query, pages):
    """Softmax attention over an iterable of (keys, values) that is gone through once."""
    largest, total, out = -math.inf, 0.0, torch.zeros_like(query)
    for keys, values in pages:
        scores = keys.float() @ query
        new = max(largest, scores.max().item())
        shrink, weights = math.exp(largest - new), (scores - new).exp()
        total, out = total * shrink + weights.sum(), out * shrink + weights @ values.float()
        largest = new
    return out / total


def quest_attention(q, k, v, kmin, kmax, budget, page):
    num_heads, num_kv_heads, S = len(q), len(k), k.shape[1]
    rows = []
    for head, query in enumerate(q.double()):
        kv = head // (num_heads // num_kv_heads)
        low, high = kmin[kv].double() * query, kmax[kv].double() * query
        bounds = torch.where(low > high, low, high).sum(-1).tolist()
        last = len(bounds) - 1
        ranked = sorted(range(last), key=bounds.__getitem__, reverse=True)
        kept = [last, *(ranked if budget >= S else ranked[: max(1, budget // page) - 1])]
        parts = (slice(chosen * page, (chosen + 1) * page) for chosen in kept)
        rows.append(attend(query.float() / math.sqrt(len(query)), ((k[kv, part], v[kv, part]) for part in parts)))
    return torch.stack(rows).to(q.dtype)
