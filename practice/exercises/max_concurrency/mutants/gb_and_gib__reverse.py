"""en: Divides GB (10^9 bytes) by GiB (2^30), or the reverse: the two differ by 7 %, and so does the number of requests.
zh: 把 GB（10^9 字节）和 GiB（2^30）混在一起相除：两者相差 7 %，请求数也跟着差 7 %。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    padded = -(-seq_len // block_size) * block_size
    return int(budget_bytes / 2**30 / (padded * kv_bytes_per_token / 10**9))
