"""en: Scores a page by its mean key: one strong key among weak ones is averaged away. InfLLM scores so.
zh: 用一页的平均 key 打分：一个很强的 key 混在弱的里面就被平均掉了。这是 InfLLM 一类的页打分。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, _) = len(q), k.shape
    group = num_heads // num_kv_heads
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    split = k.float().split(page, dim=1)
    mean = torch.stack([keys.mean(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    bounds = (mean * q.float()[:, None]).sum(-1)
    bounds[:, -1] = torch.inf
    best = bounds.topk(max(1, budget // page), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
