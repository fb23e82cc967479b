"""en: Divides the caches only: without parentheses, `/` comes before `+`, and bytes are added to seconds.
zh: 只有缓存除以了带宽：没加括号时先算 `/` 后算 `+`，字节数和秒加在了一起。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return weight_bytes + cache_bytes / bandwidth
