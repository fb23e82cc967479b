"""en: Counts the caches only: the time would be proportional to the context, and 0 for an empty one.
zh: 只算了缓存：时间就成了与上下文成正比，缓存为空时为 0。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return cache_bytes / bandwidth
