"""en: Reads the cache once for each of `seq_len` tokens, as in decoding them all; this is one step, for one new token.
zh: 缓存按 `seq_len` 个 token 各读一遍，等于把它们全 decode 一遍；这里只是一步，一个新 token。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + seq_len * cache_bytes) / bandwidth
