"""The cost of one token first, as a float, and only all tokens' cost becomes an int."""

import math


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    per_token = bytes_per_element * (head_dim + head_dim) * num_kv_heads * num_layers
    return math.floor(per_token * (batch * seq_len))
