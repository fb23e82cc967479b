"""en: The window of `budget` - `sinks` slots alone: room was left for the sinks, and they were never put there.
zh: 只返回了 `budget` - `sinks` 个槽位的窗口：给 sink 留了名额，却没有把它们放进去。
"""


def evict_sinks(k, v, positions, budget, sinks):
    S = len(positions)
    if budget >= S:
        return k, v, positions
    start = S - (budget - sinks)
    return k[:, :, start:], v[:, :, start:], positions[start:]
