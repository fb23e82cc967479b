"""The rank of every key: where the sorted order puts it, by a second argsort; then a plain comparison."""


def topk_mask(scores, budget):
    rank = scores.argsort(dim=-1, descending=True).argsort(dim=-1)
    return (rank < budget) & scores.isfinite()
