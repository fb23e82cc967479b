"""A mask of what stays, by each key's rank among the candidates; its True columns are the answer."""

import torch


def h2o_keep(attn, budget, recent):
    num_heads, _, S = attn.shape
    if budget >= S:
        return torch.arange(S).repeat(num_heads, 1)
    candidates = torch.einsum("hts->hs", attn.double())[:, : S - recent]
    rank = candidates.argsort(dim=1, descending=True).argsort(dim=1)
    mask = torch.ones(num_heads, S, dtype=torch.bool)
    mask[:, : S - recent] = rank < budget - recent
    return mask.nonzero()[:, 1].reshape(num_heads, budget)
