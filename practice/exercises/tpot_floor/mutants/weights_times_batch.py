"""en: Reads the weights once for every sequence; a step reads them once for the whole batch, which is why one batches.
zh: 每个序列都读一遍权重；一步里整批只读一遍权重，这正是要攒批的原因。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (batch * weight_bytes + cache_bytes) / bandwidth
