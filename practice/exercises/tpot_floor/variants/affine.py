"""A straight line in seq_len: what the weights take, and a slope."""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    intercept = weight_bytes / bandwidth
    slope = kv_bytes_per_token / bandwidth * batch
    return intercept + slope * seq_len
