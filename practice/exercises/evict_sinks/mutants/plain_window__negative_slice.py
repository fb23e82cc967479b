"""en: This is the plain sliding window: the newest slots stay, and the sinks, slot 0 first of all, are gone.
zh: 这是普通的滑动窗口：只留下最新的槽位，sink（首先是 0 号槽位）全丢了。
"""


def evict_sinks(k, v, positions, budget, sinks):
    if budget >= len(positions):
        return k, v, positions
    return k[:, :, -budget:], v[:, :, -budget:], positions[-budget:]
