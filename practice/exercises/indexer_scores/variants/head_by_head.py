"""One head after the other, its positive dot products added to a float32 total; no [T, H, S] tensor."""

import torch
from torch.nn.functional import relu


def indexer_scores(q_idx, k_idx, weights):
    T, S = q_idx.shape[0], k_idx.shape[0]
    total = torch.zeros(T, S)
    for head in range(q_idx.shape[1]):
        total += weights[:, head, None].float() * relu(q_idx[:, head].float() @ k_idx.float().T)
    sees = torch.arange(S) <= torch.arange(T)[:, None] + S - T
    return torch.where(sees, total, -torch.inf).to(q_idx.dtype)
