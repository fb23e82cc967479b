"""Keys in blocks with a running maximum and sum, as FlashAttention goes through them; k and v are repeated first."""

import torch


def gqa_attention(q, k, v, mask):
    keys, values = (each.float().repeat_interleave(q.shape[1] // k.shape[1], 1) for each in (k, v))
    queries, smallest = q.float() * q.shape[-1] ** -0.5, torch.finfo(torch.float32).min
    largest = torch.full_like(queries[..., :1], smallest)
    total, out = torch.zeros_like(largest), torch.zeros_like(queries)
    for start in range(0, k.shape[2], 5):
        part = slice(start, start + 5)
        scores = (queries @ keys[:, :, part].mT).where(mask[..., part], -torch.inf)
        new = torch.maximum(largest, scores.amax(-1, keepdim=True))
        shrink, weights = (largest - new).exp(), (scores - new).exp()
        total, out = total * shrink + weights.sum(-1, keepdim=True), out * shrink + weights @ values[:, :, part]
        largest = new
    return (out / total).to(q.dtype)
