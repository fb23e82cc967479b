"""Layer after layer in exact fractions."""

from fractions import Fraction


def kv_bytes(num_layers, num_kv_heads, head_dim, seq_len, bytes_per_element, batch=1):
    vector = head_dim * Fraction(bytes_per_element)
    total = Fraction(0)
    for _layer in range(num_layers):
        for _key_or_value in range(2):
            total += batch * num_kv_heads * seq_len * vector
    return total.numerator // total.denominator
