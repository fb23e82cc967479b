"""en: Multiplies the wrong term by the batch: the weights are shared, the caches are not.
zh: batch 乘错了项：权重是共用的，缓存不是。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    return (batch * weight_bytes + seq_len * kv_bytes_per_token) / bandwidth
