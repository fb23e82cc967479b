"""en: Keeps the oldest `budget` slots: the newest tokens, which the next query needs most, are thrown away.
zh: 留下的是最旧的 `budget` 个槽位：下一个 query 最需要的最新 token 反而被丢掉。
"""


def evict_sinks(k, v, positions, budget, sinks):
    return k[:, :, :budget], v[:, :, :budget], positions[:budget]
