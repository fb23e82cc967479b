"""en: Divides with `//`, which leaves whole seconds, and of a step of milliseconds nothing.
zh: 用了 `//`，只剩整数秒；几毫秒的一步就成了 0。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + cache_bytes) // bandwidth
