"""en: Counts the weights only: a long context would cost nothing.
zh: 只算了权重：上下文再长也不花时间。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    return weight_bytes / bandwidth
