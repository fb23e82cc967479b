"""en: Computes in the inputs' dtype: in bfloat16 each product and each partial sum is rounded to 8 bits.
zh: 用输入的 dtype 计算：在 bfloat16 里，每个乘积、每个部分和都被舍入到 8 位。
"""

import torch


def quest_bounds(q, k, page):
    if not k.shape[1]:
        return q.new_zeros(len(q), 0)
    group = len(q) // len(k)
    split = k.split(page, dim=1)
    low = torch.stack([keys.amin(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    high = torch.stack([keys.amax(1) for keys in split], dim=1).repeat_interleave(group, dim=0)
    query = q[:, None]
    return torch.maximum(query * low, query * high).float().sum(-1).to(q.dtype)
