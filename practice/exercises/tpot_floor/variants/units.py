"""In GB and GB/s, as on a data sheet."""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    gigabytes = weight_bytes / 1e9 + kv_bytes_per_token / 1e9 * seq_len * batch
    return gigabytes / (bandwidth / 1e9)
