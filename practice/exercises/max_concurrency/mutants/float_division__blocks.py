"""en: Divides in floating point, which rounds: where the requests only just fit, or only just do not, it is off.
zh: 用浮点数做除法会有舍入：请求恰好放得下、或只差一点放不下时，结果就错了。
"""


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    blocks = int(budget_bytes / (block_size * kv_bytes_per_token))
    return blocks // -(-seq_len // block_size)
