"""One reader after the other: the weights, then every cache."""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    seconds = weight_bytes / bandwidth
    for _ in range(batch):
        seconds += seq_len * kv_bytes_per_token / bandwidth
    return seconds
