"""Take off what is left over, then divide what comes out even; exact fractions instead of integer division."""

from fractions import Fraction


def max_concurrency(budget_bytes, kv_bytes_per_token, seq_len, block_size=16):
    padded = seq_len + -seq_len % block_size
    request = Fraction(padded * kv_bytes_per_token)
    return int((budget_bytes - budget_bytes % request) / request)
