"""en: Rounds up a quotient of floats, math.ceil(seq_len / block_size): beyond 2^53 tokens it skips whole numbers.
zh: 对浮点商向上取整，即 math.ceil(seq_len / block_size)：超过 2^53 个 token 时会跳过一些整数。
"""

import math


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    return budget_bytes // (block_size * kv_bytes_per_token) // math.ceil(seq_len / block_size)
