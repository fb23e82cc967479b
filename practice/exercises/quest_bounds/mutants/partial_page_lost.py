"""en: Cuts S // page pages: the keys after the last full page, the newest of all, are in none.
zh: 只切出 S // page 页：最后一个满页之后的 key（恰恰是最新的）不属于任何一页。
"""

import torch


def quest_bounds(q, k, page):
    (num_kv_heads, S, D), group = k.shape, len(q) // len(k)
    pages = S // page
    paged = k[:, : pages * page].float().reshape(num_kv_heads, pages, page, D)
    low, high = (bound.repeat_interleave(group, dim=0) for bound in (paged.amin(2), paged.amax(2)))
    query = q.float()[:, None]
    return torch.maximum(query * low, query * high).sum(-1).to(q.dtype)
