"""en: Rounds; the result is to be exact, rounding is for printing.
zh: 做了四舍五入；结果应当精确，舍入是打印时的事。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    cache_bytes = batch * seq_len * kv_bytes_per_token
    return round((weight_bytes + cache_bytes) / bandwidth * 1000, 2) / 1000
