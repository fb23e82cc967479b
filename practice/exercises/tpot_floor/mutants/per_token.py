"""en: Divides by the batch: the step yields so many tokens, yet each sequence waits the whole step for its one.
zh: 又除以了 batch：一步确实产出这么多 token，但每个序列都要等完整的一步才得到自己的那一个。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return (weight_bytes + cache_bytes) / bandwidth / batch
