"""en: Computes in float32, which has 7 digits; Python's own numbers have 16.
zh: 用 float32 计算，只有 7 位有效数字；Python 自己的数有 16 位。
"""

import torch


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    reads = torch.tensor([weight_bytes, batch * seq_len * kv_bytes_per_token], dtype=torch.float32)
    return (reads.sum() / bandwidth).item()
