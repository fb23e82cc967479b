"""en: Multiplies in the input's dtype and sums in float32; what the products rounded away is gone.
zh: 用输入的 dtype 相乘，再用 float32 求和；乘积舍去的部分回不来。
"""

import torch


def quest_select(q, k, budget, page):
    num_heads, (num_kv_heads, S, _) = len(q), k.shape
    group = num_heads // num_kv_heads
    if budget >= S:
        return torch.ones(num_heads, S, dtype=torch.bool)
    split = k.split(page, dim=1)
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    query = q[:, None]
    bounds = torch.maximum(query * low, query * high).sum(-1, dtype=torch.float32)
    bounds[:, -1] = torch.inf
    best = bounds.topk(max(1, budget // page), dim=-1).indices
    chosen = torch.zeros(num_heads, len(split), dtype=torch.bool).scatter(1, best, True)
    return chosen.repeat_interleave(page, dim=1)[:, :S]
