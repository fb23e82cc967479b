"""en: Counts one token more, the one being decoded: it is written, not read, and the rule counts `seq_len` tokens.
zh: 多算了一个 token，即正在 decode 的那个：它是写入的，不是读出的，题目只算 `seq_len` 个。
"""


def tpot_floor(weight_bytes, kv_bytes_per_token, seq_len, batch, bandwidth):
    return (weight_bytes + batch * (seq_len + 1) * kv_bytes_per_token) / bandwidth
