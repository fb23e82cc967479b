"""en: Counts S // page + 1 pages: where the keys fill whole pages, the last of them is empty.
zh: 页数算成 S // page + 1：key 正好填满各页时，最后一页是空的。
"""

import torch
from torch.nn.functional import pad


def quest_bounds(q, k, page):
    (num_kv_heads, S, D), group = k.shape, len(q) // len(k)
    pages = S // page + 1
    missing = pages * page - S
    low = pad(k.float(), (0, 0, 0, missing), value=torch.inf).reshape(num_kv_heads, pages, page, D).amin(2)
    high = pad(k.float(), (0, 0, 0, missing), value=-torch.inf).reshape(num_kv_heads, pages, page, D).amax(2)
    query = q.float()[:, None]
    low, high = low.repeat_interleave(group, dim=0), high.repeat_interleave(group, dim=0)
    return torch.maximum(query * low, query * high).sum(-1).to(q.dtype)
