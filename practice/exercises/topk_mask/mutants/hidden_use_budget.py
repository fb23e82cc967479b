"""en: Counts the hidden keys against the budget: a row gets budget minus hidden, not min(budget, visible).
zh: 把隐藏的 key 也算进预算：一行只得到预算减去隐藏数，而不是 min(budget, 可见数)。
"""


def topk_mask(scores, budget):
    counts = (budget - scores.isinf().sum(-1, keepdim=True)).clamp(min=0)
    rank = scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1)
    return (rank < counts) & scores.isfinite()
