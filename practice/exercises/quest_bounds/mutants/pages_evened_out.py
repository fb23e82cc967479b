"""en: Cuts the keys into ceil(S / page) nearly equal parts; every page but the last holds exactly `page` keys.
zh: 把 key 切成 ceil(S / page) 份，每份差不多长；除最后一页外，每页都应当正好是 `page` 个 key。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = k.float().tensor_split(-(-k.shape[1] // page), dim=1)
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    query = q.float()[:, None]
    return torch.maximum(query * low, query * high).sum(-1).to(q.dtype)
