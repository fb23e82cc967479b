"""en: Reads one cached token of each sequence; the new token attends to all `seq_len`.
zh: 每个序列只读一个缓存的 token；新 token 要看全部 `seq_len` 个。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    return (weight_bytes + batch * kv_bytes_per_token) / bandwidth
