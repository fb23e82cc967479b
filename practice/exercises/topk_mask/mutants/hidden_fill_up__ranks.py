"""en: Takes whatever topk returns: where fewer keys are visible than the budget, it fills up with hidden ones.
zh: topk 返回什么就要什么：可见的 key 少于预算时，它会拿隐藏的来凑数。
"""


def topk_mask(scores, budget):
    return scores.argsort(dim=-1, descending=True, stable=True).argsort(dim=-1) < budget
