"""en: Scores every key and takes each page's best: exact, but it reads all of K, which the bound is there to avoid.
zh: 给每个 key 都打了分再取每页的最大值：结果精确，却要读完整个 K，而上界正是为了避免这一点。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    scores = torch.einsum("hd,hsd->hs", q.float(), k.float().repeat_interleave(group, dim=0))
    return torch.stack([part.amax(1) for part in scores.split(page, dim=1)], dim=1).to(q.dtype)
