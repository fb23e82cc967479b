"""en: Bounds a page by |q| times its largest |k|: too loose a bound, which ranks pages by size and not by direction.
zh: 用 |q| 乘以页内最大的 |k| 作上界：太松，排出来的是大小，不是方向。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, _) = len(q), k.shape
    group = num_heads // num_kv_heads
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    split = k.float().abs().split(page, dim=1)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    bounds = (q.float().abs()[:, None] * high).sum(-1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(max(1, budget // page), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
