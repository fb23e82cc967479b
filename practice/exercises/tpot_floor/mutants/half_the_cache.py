"""en: Counts half the caches, as an average over their growth or for K alone; this step reads all of them, K and V.
zh: 只算了一半缓存，像是取增长过程的平均或只读 K；这一步要读全部的 K 和 V。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + cache_bytes / 2) / bandwidth
