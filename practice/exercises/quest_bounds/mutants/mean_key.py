"""en: Scores a page by its mean key: one strong key among weak ones is averaged away, so this bounds nothing.
zh: 用一页的平均 key 打分：一个很强的 key 混在弱的里面就被平均掉了，所以这不是上界。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = k.float().split(page, dim=1)
    mean = torch.stack([keys.mean(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    return (q.float()[:, None] * mean).sum(-1).to(q.dtype)
