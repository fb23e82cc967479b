"""Two einsums in float64, the mask by triu."""

import torch


def indexer_scores(q_idx, k_idx, weights):
    T, S = len(q_idx), len(k_idx)
    dots = torch.einsum("thd,sd->tsh", q_idx.double(), k_idx.double())
    scores = torch.einsum("tsh,th->ts", dots.clamp(min=0), weights.double())
    future = torch.ones(T, S, dtype=torch.bool).triu(S - T + 1)
    return scores.masked_fill(future, -torch.inf).to(q_idx.dtype)
