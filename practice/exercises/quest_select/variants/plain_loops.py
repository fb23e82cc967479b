"""No tensor arithmetic: Python lists, sorted pages."""

import torch


def bound(query, keys):
    channels = zip(*keys, strict=True)
    return sum(max(x * min(channel), x * max(channel)) for x, channel in zip(query, channels, strict=True))


def quest_select(q, k, budget, page):
    queries, keys = q.tolist(), k.tolist()
    group = len(queries) // len(keys)
    S = len(keys[0])
    rows = []
    for head, query in enumerate(queries):
        own = keys[head // group]
        starts = range(0, S, page)
        ranked = sorted(starts, key=lambda start: (start + page < S, -bound(query, own[start : start + page])))
        kept = set(starts if budget >= S else ranked[: max(1, budget // page)])
        rows.append([slot // page * page in kept for slot in range(S)])
    return torch.tensor(rows, dtype=torch.bool).reshape(len(queries), S)
