"""en: Compares argsort with the budget: that says which key stands at a rank, not which rank a key has.
zh: 拿 argsort 的结果与预算比较：它说的是某一名是哪个 key，而不是某个 key 是第几名。
"""


def topk_mask(scores, budget):
    return scores.argsort(dim=-1, descending=True) < budget
