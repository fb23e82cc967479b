"""The queries of a group become rows of one matrix, so that a group needs a single product; a large constant hides."""

import torch


def gqa_attention(q, k, v, mask):
    B, num_heads, T, D = q.shape
    num_kv_heads, S = k.shape[1:3]
    group = num_heads // num_kv_heads
    rows = (q.float() / D**0.5).reshape(B, num_kv_heads, group * T, D)
    bias = torch.where(mask, 0.0, -1e9)
    bias = bias.repeat(group, 1) if mask.dim() == 2 else bias.reshape(B, num_kv_heads, group * T, S)
    weights = torch.softmax(torch.einsum("bgtd,bgsd->bgts", rows, k.float()) + bias, dim=-1)
    return torch.einsum("bgts,bgsd->bgtd", weights, v.float()).reshape(B, num_heads, T, D).to(q.dtype)
