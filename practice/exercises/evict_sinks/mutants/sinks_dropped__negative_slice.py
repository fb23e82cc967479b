"""en: The window of `budget` - `sinks` slots alone: room was left for the sinks, and they were never put there.
zh: 只返回了 `budget` - `sinks` 个槽位的窗口：给 sink 留了名额，却没有把它们放进去。
"""


def evict_sinks(k, v, positions, budget, sinks):
    if budget >= len(positions):
        return k, v, positions
    recent = budget - sinks
    return k[:, :, -recent:], v[:, :, -recent:], positions[-recent:]
